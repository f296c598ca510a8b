import { Command } from 'commander';
import { start } from '../../local/start.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, wholeNumberIn } from '../terminal/arguments.ts';

/** `deltawatch start`: everything on this machine, over own data or the demo shop. Being told to stop ends it with exit code 0. */
export function startCommand(): Command {
  return new Command('start')
    .description('run the whole system on this machine, over your own data or the demo shop')
    .option('--port <number>', 'where the page is, on 127.0.0.1', wholeNumberIn(1, 65_535), 4100)
    .option('--state <dir>', 'folder of everything that is kept', '.deltawatch')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option(
      '--days <number>',
      'days of data to replay when a rule starts for the first time',
      wholeNumberIn(0, 100),
      35,
    )
    .addHelpText(
      'after',
      examples(
        ['start', 'the rules of the demo shop, on port 4100'],
        ['start --rules my-rules --state .my-deltawatch', 'rules of your own, in a folder of their own'],
      ),
    )
    .action(async (options: { port: number; state: string; rules: string; days: number }) => {
      const ruleSet = await readRules(options.rules);
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      const { port, state: stateDir, days } = options;
      await start({ port, stateDir, days, ruleSet, clock: systemClock, signal: stop.signal });
    });
}
