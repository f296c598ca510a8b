import { Command } from 'commander';
import { start } from '../../local/start.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, wholeNumberIn } from '../terminal/arguments.ts';

/** `deltawatch start`: runs the whole system on this machine, with your data or the demo shop. SIGINT and SIGTERM end it with exit code 0. */
export function startCommand(): Command {
  return new Command('start')
    .description('Run Deltawatch on this machine, on your own data or a demo shop')
    .option('--port <number>', 'Port of the page, on 127.0.0.1', wholeNumberIn(1, 65_535), 4100)
    .option('--state <dir>', 'Folder for all state', '.deltawatch')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--days <number>', 'Days of data to replay the first time', wholeNumberIn(0, 100), 35)
    .addHelpText(
      'after',
      examples(
        ['start', 'The demo shop, on port 4100'],
        ['start --rules my-rules --state .my-deltawatch', 'Your own rules and state folder'],
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
