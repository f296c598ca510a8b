import { join } from 'node:path';
import { Command } from 'commander';
import { type StartFigures, start } from '../../local/start.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { type FigureOptions, serviceWithKey, sourceOf } from '../options/figures.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, wholeNumberIn } from '../terminal/arguments.ts';

interface Options extends Omit<FigureOptions, 'data' | 'seed'> {
  port: number;
  state: string;
  rules: string;
  days: number;
}

/** `deltawatch start`: runs the whole system on this machine, with your data or the demo shop. SIGINT and SIGTERM end it with exit code 0. */
export function startCommand(): Command {
  return new Command('start')
    .description('Run Deltawatch on this machine, on your own data or a demo shop')
    .option('--port <number>', 'Port of the page, on 127.0.0.1', wholeNumberIn(1, 65_535), 4100)
    .option('--state <dir>', 'Folder for all state', '.deltawatch')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--service <url>', 'Query a data access service instead of the data in the state folder')
    .option('--key-secret <name>', 'Name of the secret that holds the API key of the service')
    .option(
      '--days <number>',
      'Days of data to replay the first time; figures of a service are not replayed',
      wholeNumberIn(0, 100),
      35,
    )
    .addHelpText(
      'after',
      examples(
        ['start', 'Your imported data, or the demo shop, on port 4100'],
        ['start --rules my-rules --state .my-deltawatch', 'Other rules and another state folder'],
        ['start --service https://data.example.com --key-secret figures-key', 'Figures of a service'],
      ),
    )
    .action(async (options: Options) => {
      const ruleSet = await readRules(options.rules);
      const figures = await figuresFor(options);
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      const { port, state: stateDir, days } = options;
      await start({ port, stateDir, figures, days, ruleSet, clock: systemClock, signal: stop.signal });
    });
}

/** The service in the options or the configuration, or else a folder. */
async function figuresFor(options: Options): Promise<StartFigures> {
  const { state } = options;
  const { service, keySecret, data } = sourceOf({ ...options, seed: 1 });
  if (service === undefined) return { kind: 'folder', dataDir: data ?? join(state, 'data') };
  return { kind: 'service', ...(await serviceWithKey(service, { keySecret, state })) };
}
