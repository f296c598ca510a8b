import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { Figures } from '../../local/figures.ts';
import type { Place } from '../../local/installation.ts';
import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import { progressLine } from '../../local/terminal.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { type Clock, type Millis, systemClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { counted } from '../../shared/text/counted.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { explainRule } from '../../workbench/explain/explain-rule.ts';
import type { Explanation } from '../../workbench/explain/explanation.ts';
import { deployedOn, deployedRules, inFolder, onlyRules, ruleCalled } from '../../workbench/find-rule.ts';
import { type FigureOptions, openFigures, withFigureOptions } from '../options/figures.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, instant, wholeNumberIn } from '../terminal/arguments.ts';
import { interruption } from '../terminal/interruption.ts';
import { safeLines } from '../terminal/wrapping.ts';
import { explanationLines } from './explain-text.ts';

interface Options extends Place, FigureOptions {
  segment?: string;
  at?: Millis;
  live?: true;
  rules?: string;
  days: number;
  json?: true;
}

/** Options that need an installation. */
const NOT_PAST = ['table', 'stage', 'live'];

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
    .option('--live', 'Also query the service for the current figures of the window')
    .addOption(
      new Option('--rules <dir>', 'Explain a rule of this folder instead, as if it had run').conflicts(
        NOT_PAST,
      ),
    )
    .option('--days <number>', 'Number of past days to run it over, with --rules', wholeNumberIn(1, 400), 35)
    .option('--json', 'Print one JSON document');
  return ofInstallation(withFigureOptions(explain))
    .addHelpText(
      'after',
      examples(
        ['explain new-users', 'The latest window'],
        ['explain search-by-country --segment Germany --at 2026-03-05T08:00Z', 'One segment at a given time'],
        ['explain new-users --live', 'Did late data change it?'],
        ['explain new-users --rules rules --at 2026-03-05', 'Before the rule is deployed'],
      ),
    )
    .action(async (ruleId: string, options: Options) => {
      const { explanation, rule, note } = await explained(ruleId, options, clock);
      const isPast = options.rules !== undefined;
      if (options.json) console.log(JSON.stringify(explanation, withIsoTimes));
      else console.log(explanationLines(explanation, rule, options.at ?? clock.now(), isPast).join('\n'));
      if (note !== undefined) console.error(['', ...safeLines(note)].join('\n'));
    });
}

interface Explained {
  explanation: Explanation;
  rule: Rule;
  /** The basis of a replayed explanation. */
  note?: string;
}

async function explained(ruleId: string, options: Options, clock: Clock): Promise<Explained> {
  const { rules, live: isLive, data, service } = options;
  if (rules !== undefined) return explainedPast(ruleId, { ...options, rules }, clock);
  if (!isLive && (data ?? service) !== undefined)
    throw new InvalidRequestError('--data and --service require --live or --rules');
  return withInstallation(options, clock, async ({ stores, description }) => {
    const ruleSet = await deployedRules(stores.rules);
    const rule = ruleCalled(ruleId, ruleSet, deployedOn({ description }));
    const { segment, at, live } = options;
    const request = { ruleId, segment, at, now: clock.now() };
    if (!live) return { explanation: await explainRule(request, stores), rule };
    const figures = await figuresToday({ ...ruleSet, rules: [rule] }, options, clock);
    try {
      const explanation = await explainRule({ ...request, sourceFor: figures.sourceFor }, stores);
      return { explanation, rule };
    } finally {
      figures.close();
    }
  });
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
    return { explanation, rule, note };
  } finally {
    line.end();
    figures.close();
  }
}

/** For a local installation, its own data. */
async function figuresToday(ruleSet: RuleSet, options: Options, clock: Clock): Promise<Figures> {
  const { data, state, table, service, project } = options;
  const isLocal = table === undefined && service === undefined && !project?.config.figures;
  const own = isLocal ? join(state, 'data') : undefined;
  const from = data ?? own;
  const now = clock.now();
  return openFigures(
    { ...options, ...(from !== undefined && { data: from }) },
    { ruleSet, from: now, to: now, clock },
  );
}

/** Field names that end in `At` are times. */
function withIsoTimes(name: string, value: unknown): unknown {
  return name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value;
}
