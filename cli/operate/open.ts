import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Command, InvalidArgumentError, Option } from 'commander';
import { runningIn } from '../../local/installation.ts';
import { openLocalSecrets } from '../../local/secrets.ts';
import { signedLinks } from '../../shared/access/signed-links.ts';
import { type AwsAccess, type Cloud, createCloud } from '../../shared/aws/cloud.ts';
import { loadProject, type Project } from '../../shared/config/load-config.ts';
import type { LinkSigner } from '../../shared/messages/link-purposes.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { asOption } from '../options/author-option.ts';
import { STATE } from '../options/project.ts';
import { accessTo, locatedStage, pageOfStage, stageNamed } from '../options/stages.ts';
import { examples, httpsAddress, wholeNumberIn } from '../terminal/arguments.ts';

/** Side effects, replaceable in tests. */
export interface OpenParts {
  clock: Clock;
  /** Reads a secret from AWS Secrets Manager. */
  readSecret: (name: string, access: AwsAccess) => Promise<string>;
  cloud: (access: AwsAccess) => Pick<Cloud, 'findStack' | 'place'>;
  browse: (url: string) => void;
}

interface Options {
  stage?: string;
  url?: string;
  state: string;
  secret: string;
  profile?: string;
  region?: string;
  as: string;
  to: string;
  port: number;
  browser?: true;
  project?: Project;
}

/** `deltawatch open`: a link to the page. It signs in anyone who can read the signing secret. */
export function openCommand(parts: OpenParts = PARTS): Command {
  return new Command('open')
    .description('Print a link to the Deltawatch page that signs you in')
    .addOption(
      new Option('--stage <name>', 'Use the page of a stage of deltawatch.config.ts in AWS').conflicts([
        ...['url', 'secret', 'state', 'port'],
      ]),
    )
    .option(
      '--url <url>',
      'URL of the page: output Url of the respond stack; default: this machine',
      httpsAddress,
    )
    .option('--state <dir>', 'Folder of the Deltawatch on this machine', STATE)
    .option('--secret <name>', 'Secret that signs sessions', 'deltawatch/production/session-keys')
    .option('--profile <name>', 'AWS CLI profile that may read the secret')
    .option('--region <name>', 'AWS region; default: that of the stage or of the profile')
    .addOption(asOption())
    .option('--to <path>', 'Path to open', path, '/')
    .option('--port <number>', 'Port of the page on this machine', wholeNumberIn(1, 65_535), 4100)
    .option('--browser', 'Also open it in a browser')
    .addHelpText(
      'after',
      examples(
        ['open --browser', 'The page on this machine'],
        ['open --stage production --profile ops', 'The page of a stage in AWS'],
        ['open --url https://alerts.example.com', 'The same, where there is no deltawatch.config.ts'],
      ),
    )
    .action(async (options: Options) => {
      const url = await linkOf(options, parts);
      console.log(url);
      if (options.browser) parts.browse(url);
    });
}

/** The page of `--stage` or `--url`, or else that of this machine, which requires a sign-in if it is public. */
async function linkOf(options: Options, parts: OpenParts): Promise<string> {
  const { state } = options;
  const page = await remotePage(options, parts);
  if (page)
    return signedUrl(
      page.url,
      options,
      signedLinks(() => parts.readSecret(page.secret, page.access), parts.clock),
    );
  const publicUrl = (await runningIn(state))?.publicUrl;
  if (publicUrl === undefined) return localUrl(options);
  const { sessionKey } = await openLocalSecrets(join(state, 'secrets.json'));
  return signedUrl(
    publicUrl,
    options,
    signedLinks(async () => sessionKey, parts.clock),
  );
}

interface RemotePage {
  url: string;
  secret: string;
  access: AwsAccess;
}

async function remotePage(options: Options, parts: OpenParts): Promise<RemotePage | undefined> {
  const { url, secret, profile, region } = options;
  const access = { ...(profile !== undefined && { profile }), ...(region !== undefined && { region }) };
  if (options.stage === undefined) return url === undefined ? undefined : { url, secret, access };
  const project = options.project ?? (await loadProject(process.cwd()));
  const written = stageNamed(project, options.stage);
  const reach = accessTo(written, access);
  const cloud = parts.cloud(reach);
  const stage = locatedStage(written, await cloud.place());
  return { ...(await pageOfStage(stage, cloud)), access: reach };
}

async function signedUrl(root: string, { as, to }: Options, signer: LinkSigner): Promise<string> {
  const token = await signer.sign('sign-in', { by: as, to }, randomUUID());
  console.error(`The link signs in "${as}" once, within ten minutes. Do not share it.`);
  return `${root}/sign-in/${token}`;
}

/** The local page needs no sign-in. Throws `ConfigError` where nothing runs there. */
async function localUrl({ port, to }: Options): Promise<string> {
  const root = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${root}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  await answer?.body?.cancel();
  if (!answer)
    throw new ConfigError(
      `no Deltawatch answers at ${root}: start it with "npx deltawatch start", or set --stage or --url`,
    );
  return `${root}${to}`;
}

function path(text: string): string {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text))
    throw new InvalidArgumentError('Use a path of the page, such as /alerts.');
  return text;
}

/** The command that opens a URL, by platform. */
const BROWSERS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

const PARTS: OpenParts = {
  clock: systemClock,
  readSecret(name, access) {
    return createSecretsManagerReader(systemClock, new SecretsManagerClient(access)).readSecret(name);
  },
  cloud: createCloud,
  browse(url) {
    const [command, ...args] = BROWSERS[process.platform] ?? ['xdg-open'];
    const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' });
    child.on('error', () => console.error(`note: cannot open the link: "${command}" is not installed`));
    child.unref();
  },
};
