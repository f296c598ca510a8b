import { Command, InvalidArgumentError } from 'commander';
import { start } from '../local/start.ts';
import { readRules } from './rules.ts';

/** `deltawatch start`: everything on this machine, over the demo shop. */
export function startCommand(): Command {
  return new Command('start')
    .description('run the whole system on this machine, over the demo shop')
    .option('--port <number>', 'where the page is, on 127.0.0.1', portNumber, 4100)
    .option('--state <dir>', 'folder of everything that is kept', '.deltawatch')
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--days <number>', 'days of the past to go through on the first start', wholeDays, 28)
    .action(async (options: { port: number; state: string; rules: string; days: number }) => {
      const ruleSet = await readRules(options.rules);
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
      const { port, state: stateDir, days } = options;
      await start({ port, stateDir, days, ruleSet, signal: stop.signal });
    });
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('Write a port from 1 to 65535.');
  return port;
}

function wholeDays(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('Write a whole number of days, at most 100.');
  return Math.min(100, Number(text));
}
