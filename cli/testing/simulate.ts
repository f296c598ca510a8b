import { Command } from 'commander';
import { bad, good } from '../../local/colour.ts';
import { demoDataFor, requireApps, type SimulatedNotification, simulate } from '../../local/simulate.ts';
import { progressLine } from '../../local/terminal.ts';
import { figure, percentText } from '../../shared/messages/figure-text.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { type ProjectOptions, pathIn, STATE } from '../options/project.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, instant, wholeNumber } from '../terminal/arguments.ts';

interface Options extends ProjectOptions {
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
    .description('Run the rules over past data in the order in which it arrived, late uploads included')
    .requiredOption('--from <date>', 'Start, such as 2026-03-01 or 2026-03-01T06:00Z', instant)
    .requiredOption('--to <date>', 'End', instant)
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--data <dir>', 'Folder of the data; default: a generated demo shop')
    .option('--seed <number>', 'Seed of the generated demo shop', wholeNumber, 1)
    .option('--json', 'Print one JSON line per notification')
    .addHelpText(
      'after',
      examples(
        ['simulate --from 2026-03-01 --to 2026-03-08', 'On a generated demo shop'],
        [
          'simulate --rules my-rules --data .deltawatch/data --from 2026-03-16 --to 2026-03-24',
          'On your own data',
        ],
      ),
    )
    .action(async (options: Options) => {
      const { from, to, seed } = options;
      if (to <= from) throw new InvalidRequestError('--to must be later than --from');
      const ruleSet = await readRules(options.rules);
      const line = progressLine();
      const dataDir =
        options.data ??
        (await demoDataFor({ from, to, seed }, pathIn(options.project, STATE), ({ step, days, ofDays }) =>
          line.show(step, days, ofDays),
        ));
      await requireApps(ruleSet, dataDir);
      const onProgress = (done: number, total: number) => line.show('Simulating', done, total);
      let count = 0;
      for await (const notification of simulate({ ruleSet, from, to, dataDir, onProgress })) {
        line.end();
        console.log(options.json ? JSON.stringify(notification) : readable(notification));
        count++;
      }
      line.end();
      if (!options.json) console.log(counted(count, 'notification'));
    });
}

/** The end of the window, the transition and rule, and the figures below. */
export function readable(notification: SimulatedNotification): string {
  const { windowEnd, transition, rule, segment, current, baseline, changePct } = notification;
  const time = `${windowEnd.slice(0, 16).replace('T', ' ')}Z  `;
  const margin = ' '.repeat(`${time}${transition.padEnd(9)}  `.length);
  const what = `${time}${inItsColour(transition, transition.padEnd(9))}  ${rule}${segment === null ? '' : ` [${printable(segment)}]`}`;
  if (current === null) return what;
  const change = changePct === null ? '' : ` (${percentText(changePct / 100)})`;
  const before = baseline === null ? 'nothing' : figure(baseline);
  return `${what}\n${margin}${before} to ${figure(current)}${change}`;
}

function inItsColour(transition: string, text: string): string {
  if (transition === 'fired') return bad(text);
  return transition === 'recovered' ? good(text) : text;
}
