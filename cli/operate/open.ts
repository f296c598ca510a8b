import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { InvalidArgumentError, Option } from 'commander';
import { runningIn } from '../../local/installation.ts';
import { openLocalSecrets } from '../../local/secrets.ts';
import { signedLinks } from '../../shared/access/signed-links.ts';
import { type Grant, grantSchema, ROLES } from '../../shared/alerts/roles.ts';
import type { AwsAccess } from '../../shared/aws/cloud.ts';
import { slackManifest } from '../../shared/channels/slack/manifest.ts';
import type { LinkSigner } from '../../shared/messages/link-purposes.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { asOption } from '../options/author-option.ts';
import { type InstallationOptions, ofInstallation } from '../options/installation.ts';
import { reachStage, urlOfStage } from '../options/stages.ts';
import { appIds } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';

/** Side effects, replaceable in tests. */
export interface OpenParts {
  clock: Clock;
  /** Reads a secret from AWS Secrets Manager. */
  readSecret: (name: string, access: AwsAccess) => Promise<string>;
}

interface Options extends InstallationOptions {
  as: string;
  to: string;
  role: Grant['role'];
  app?: string[];
  slack?: 'link' | 'manifest';
}

/** `deltawatch open`: a link to the page. It signs in anyone who can read the signing secret. */
export function openCommand(parts: OpenParts = PARTS): Command {
  return ofInstallation(
    new Command('open').description('Print a link to the Deltawatch page that signs you in'),
  )
    .addOption(asOption())
    .option('--to <path>', 'Path to open', path, '/')
    .addOption(new Option('--role <role>', 'What the link lets its user do').choices(ROLES).default('admin'))
    .option('--app <id>', 'Only app that the user may see; can be repeated', appIds)
    .addOption(
      new Option('--slack [what]', 'Print a link that creates the Slack app of the page, or its manifest')
        .choices(['link', 'manifest'])
        .preset('link')
        .conflicts(['as', 'to']),
    )
    .example('open', 'The page on this machine')
    .example('open --stage production --profile ops', 'The page of a stage in AWS')
    .example('open --stage production --slack', 'A Slack app with buttons and the command /deltawatch')
    .action(async (options: Options) => console.log(await linkOf(options, parts)));
}

/** The page of `--stage`, or else that of this machine, which requires a sign-in if it is public. */
async function linkOf(options: Options, { readSecret, clock }: OpenParts): Promise<string> {
  const { stage: name, state, to, slack } = options;
  if (name === undefined) {
    const running = await runningIn(state);
    if (!running)
      throw new ConfigError(
        `no Deltawatch runs in ${state}: start it with "npx deltawatch start", or set --stage`,
      );
    if (slack) return slackAppOf(running.url, slack);
    if (!running.isPublic) return `${running.url}${to}`;
    const { sessionKey } = await openLocalSecrets(join(state, 'secrets.json'));
    return signedUrl(
      running.url,
      options,
      signedLinks(async () => sessionKey, clock),
    );
  }
  const reached = await reachStage(name, options);
  if (slack) return slackAppOf(await urlOfStage(reached), slack);
  const { access } = reached.stage.respond;
  if (access.kind !== 'session')
    throw new ConfigError(
      `no link signs in to the page of the stage "${name}": its access is "${access.kind}" (respond.access in deltawatch.config.ts)`,
    );
  const signer = signedLinks(() => readSecret(access.secret, reached.access), clock);
  return signedUrl(await urlOfStage(reached), options, signer);
}

async function signedUrl(root: string, { as, to, role, app }: Options, signer: LinkSigner): Promise<string> {
  const grant = grantSchema.safeParse({ role, apps: app });
  if (!grant.success) throw new InvalidRequestError('use --role read or --role answer with --app');
  const token = await signer.sign('sign-in', { by: as, to, grant: grant.data }, randomUUID());
  console.error(`The link signs in "${as}" once, within ten minutes. Do not share it.`);
  return `${root}/sign-in/${token}`;
}

function slackAppOf(url: string, what: 'link' | 'manifest'): string {
  if (!url.startsWith('https:'))
    throw new ConfigError(`Slack cannot reach ${url}: set --stage, or use "deltawatch start --public"`);
  const manifest = JSON.stringify(slackManifest(url), null, what === 'link' ? 0 : 2);
  if (what === 'manifest') return manifest;
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}`;
}

function path(text: string): string {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text))
    throw new InvalidArgumentError('Use a path of the page, such as /alerts.');
  return text;
}

const PARTS: OpenParts = {
  clock: systemClock,
  readSecret(name, access) {
    return createSecretsManagerReader(systemClock, new SecretsManagerClient(access)).readSecret(name);
  },
};
