import { Command, Option } from 'commander';
import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import { progressLine } from '../../local/terminal.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { counted } from '../../shared/text/counted.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { explainRule } from '../../workbench/explain/explain-rule.ts';
import type { Explanation } from '../../workbench/explain/explanation.ts';
import { deployedOn, deployedRules, inFolder, onlyRules, ruleCalled } from '../../workbench/find-rule.ts';
import { type FigureOptions, openFigures, withFigureOptions } from '../options/figures.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, instant, wholeNumberIn } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { safeLines } from '../terminal/wrapping.ts';
import { explanationLines } from './explain-text.ts';

interface Options extends InstallationOptions, FigureOptions {
  segment?: string;
  at?: Millis;
  rules?: string;
  days: number;
  json?: true;
}

/** `deltawatch explain`: why a rule says what it says; `--json` prints an `Explanation`, its times as ISO 8601 in UTC. */
export function explainCommand(clock: Clock = systemClock): Command {
  const explain = new Command('explain')
    .description('Explain why a rule fired or did not: gates, baseline and readings')
    .argument('<rule>', 'Rule id')
    .option('--segment <value>', 'Segment to explain; default: list all')
    .option(
      '--at <time>',
      'Explain the last window that was due by this time; default: the latest window',
      instant,
    )
    .addOption(
      new Option('--rules <dir>', 'Explain a rule of this folder instead, as if it had run').conflicts(
        'stage',
      ),
    )
    .option('--days <number>', 'Number of past days to run it over, with --rules', wholeNumberIn(1, 400), 35)
    .option('--json', 'Print one JSON document');
  return ofInstallation(withFigureOptions(explain))
    .addHelpText(
      'after',
      examples(
        ['explain new-users', 'The latest window'],
        ['explain searches --segment Germany --at 2026-03-05T08:00Z', 'One segment at a given time'],
        ['explain new-users --rules rules --at 2026-03-05', 'Before the rule is deployed'],
      ),
    )
    .action(async (ruleId: string, options: Options) => {
      const { rules, at, segment, json } = options;
      const now = clock.now();
      const { explanation, rule, note } =
        rules === undefined
          ? await withInstallation(options, clock, async ({ stores, description }) => {
              const rule = ruleCalled(ruleId, await deployedRules(stores.rules), deployedOn({ description }));
              return { explanation: await explainRule({ ruleId, segment, at, now }, stores), rule, note: [] };
            })
          : await explainedPast(ruleId, { ...options, rules }, clock);
      if (json) console.log(JSON.stringify(explanation, withIsoTimes));
      else console.log(explanationLines(explanation, rule, at ?? now, rules !== undefined).join('\n'));
      if (note.length > 0) console.error(['', ...note].join('\n'));
    });
}

interface Explained {
  explanation: Explanation;
  rule: Rule;
  /** The basis of a replayed explanation. */
  note: string[];
}

/** A rule of a folder as if it had run for some days before `--at`. Needs only figures, no installation. */
async function explainedPast(
  ruleId: string,
  options: Options & { rules: string },
  clock: Clock,
): Promise<Explained> {
  const written = await readRules(options.rules);
  const where = inFolder(options.rules);
  const rule = ruleCalled(ruleId, written, where);
  const ruleSet = onlyRules(written, [ruleId], where);
  const to = Math.min(options.at ?? clock.now(), clock.now());
  const span = { from: to - options.days * DAY_MS, to };
  const figures = await openFigures(options, { ...span, ruleSet, clock });
  const line = progressLine();
  try {
    const archive = await readArchive({
      ...{ ...span, rules: ruleSet.rules, sourceFor: figures.sourceFor, clock, signal: interruption() },
      onProgress: (done, total) => line.show('Reading past data', done, total),
    });
    const stores = inMemoryStores();
    const onProgress = (done: number, total: number) => line.show('Replaying', done, total);
    const events = replay({ ...span, ruleSet, figures: archive, stores, onProgress, signal: interruption() });
    // The stores collect the results.
    for await (const _ of events);
    const explanation = await explainRule({ ruleId, segment: options.segment, now: to }, stores);
    const days = counted(options.days, 'day');
    const note = `Replayed as if ${ruleId} had run for ${days} on ${figures.describe}. Nobody was notified; late data is included.`;
    return { explanation, rule, note: safeLines(note) };
  } finally {
    line.end();
    figures.close();
  }
}

/** Field names that end in `At` are times. */
function withIsoTimes(name: string, value: unknown): unknown {
  return name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value;
}
