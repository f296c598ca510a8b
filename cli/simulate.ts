import { Command, InvalidArgumentError } from 'commander';
import { demoDataFor, requireApps, type SimulatedAnnouncement, simulate } from '../local/simulate.ts';
import { progressLine } from '../local/terminal.ts';
import { InvalidRequestError } from '../shared/runtime/errors.ts';
import { readRules } from './rules.ts';

interface Options {
  from: number;
  to: number;
  rules: string;
  data?: string;
  seed: number;
  json?: true;
}

/** `deltawatch simulate`: what the rules would have said over past data. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description('run the rules over past data, as if each moment were now')
    .requiredOption('--from <date>', 'where to begin: 2026-03-01 or 2026-03-01T06:00:00Z', instant)
    .requiredOption('--to <date>', 'where to end', instant)
    .option('--rules <dir>', 'folder of the rule files', 'rules')
    .option('--data <dir>', 'folder of the data; by default the demo shop is generated')
    .option('--seed <number>', 'which demo shop', wholeNumber, 1)
    .option('--json', 'print one JSON line per announcement')
    .action(async (options: Options) => {
      const { from, to, seed } = options;
      if (to <= from) throw new InvalidRequestError('--to must be later than --from');
      const ruleSet = await readRules(options.rules);
      const dataDir = options.data ?? (await demoDataFor({ from, to, seed }, '.deltawatch'));
      await requireApps(ruleSet, dataDir);
      const line = progressLine();
      const onProgress = (done: number, total: number) => line.show('simulating', done, total);
      let count = 0;
      for await (const announcement of simulate({ ruleSet, from, to, dataDir, onProgress })) {
        line.end();
        console.log(options.json ? JSON.stringify(announcement) : readable(announcement));
        count++;
      }
      line.end();
      if (!options.json) console.log(`${count} ${count === 1 ? 'announcement' : 'announcements'}`);
    });
}

function readable({
  windowEnd,
  transition,
  rule,
  segment,
  current,
  baseline,
  changePct,
}: SimulatedAnnouncement): string {
  const change = changePct === null ? '' : ` (${changePct > 0 ? '+' : ''}${changePct} %)`;
  const figures = current === null ? '' : `: ${baseline ?? 'nothing'} to ${current}${change}`;
  return `${windowEnd.slice(0, 16)}Z ${transition.padEnd(9)} ${rule}${segment === null ? '' : ` [${segment}]`}${figures}`;
}

function instant(text: string): number {
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text);
  const at = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Write a date (2026-03-01, in UTC) or an instant (2026-03-01T06:00:00Z).');
  return at;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}
