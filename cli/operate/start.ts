import { join, relative, resolve, sep } from 'node:path';
import { start } from '../../local/start.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { exploreSection } from '../../workbench/explore/explore-section.ts';
import type { RuleFolder } from '../../workbench/explore/rule-files.ts';
import { namedSource } from '../options/figures.ts';
import { type ProjectOptions, STATE } from '../options/project.ts';
import { readRulesToDeploy } from '../options/read-rules.ts';
import { httpsAddress, wholeNumberIn } from '../terminal/arguments.ts';
import { Command } from '../terminal/command.ts';

interface Options extends ProjectOptions {
  host: string;
  port: number;
  public?: string;
  state: string;
  rules: string;
  days: number;
}

/** `deltawatch start`: runs the whole system on this machine, with your data or the demo shop. SIGINT and SIGTERM end it with exit code 0. */
export function startCommand(): Command {
  return new Command('start')
    .description('Run Deltawatch on this machine, on your own data or a demo shop')
    .option('--port <number>', 'Port of the page', wholeNumberIn(1, 65_535), 4100)
    .option('--host <address>', 'Address to listen on; another than 127.0.0.1 requires --public', '127.0.0.1')
    .option(
      '--public <url>',
      'URL of a proxy with TLS in front of the page, which then requires "deltawatch open" to sign in',
      httpsAddress,
    )
    .option('--state <dir>', 'Folder for all state', STATE)
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option(
      '--days <number>',
      'Days of data to replay the first time; figures of a service are not replayed',
      wholeNumberIn(0, 100),
      35,
    )
    .example('start', 'Your imported data, or the demo shop, on port 4100')
    .example('start --rules my-rules --state .my-deltawatch', 'Other rules and another state folder')
    .example('start --public https://alerts.example.com --host 0.0.0.0', 'Behind a proxy')
    .action(async (options: Options, command: Command) => {
      const { host, port, public: publicUrl, state: stateDir, days } = options;
      if (publicUrl === undefined && !LOOPBACK.includes(host))
        throw new InvalidRequestError(
          `--host ${host} requires --public: without it, anybody who reaches the page can use it`,
        );
      const isStateGiven = command.getOptionValueSource('state') !== 'default';
      const signInCommand = `npx deltawatch open${isStateGiven ? ` --state ${stateDir}` : ''}`;
      const proxy = publicUrl === undefined ? undefined : { url: publicUrl, signInCommand };
      const ruleSet = await readRulesToDeploy(options.rules, options.project);
      const named = await namedSource(options, stateDir, []);
      const figures = named ?? { kind: 'folder' as const, dataDir: join(stateDir, 'data') };
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      try {
        await start({
          ...{ host, port, proxy, stateDir, figures, days, ruleSet },
          ...{ clock: systemClock, signal: stop.signal },
          explore: exploreSection(folderOf(options)),
        });
      } finally {
        if (figures.kind === 'tables') figures.apps.close();
      }
    });
}

/** The folder of the rules, on this machine and in the repository. */
function folderOf({ rules: dir, project }: Options): RuleFolder {
  const { repository: root } = project?.config ?? {};
  const path = relative(project?.dir ?? '', resolve(dir))
    .split(sep)
    .join('/');
  return { dir, read: () => readRulesToDeploy(dir, project), ...(root && { url: `${root}${path}` }) };
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];
