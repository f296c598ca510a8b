import { readArchive } from '../../local/replay/archive.ts';
import { replay } from '../../local/replay/replay.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { bandAround } from '../../shared/evaluation/expected-limits.ts';
import { asksForSeason } from '../../shared/evaluation/season-span.ts';
import type { Reach, Sensitivity } from '../../shared/evaluation/sensitivity.ts';
import { aboutRule, type Finding } from '../../shared/lint/findings.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { UpstreamError } from '../../shared/runtime/errors.ts';
import type { Grain } from '../../shared/time/window.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { Ledger } from '../backtest/message-log.ts';
import { type SeriesSensitivity, sensitivitiesOf, sensitivitiesText } from '../backtest/sensitivities.ts';

/** Days with at least one run of each rule; of hours, a whole day. */
const REPLAYED_DAYS: Record<Grain, number> = { hour: 1, day: 2, week: 8, month: 32 };

/** A change by more than this factor is worth a note, unless the rule's own bounds ask for it. */
const LARGE_FACTOR = 3;

interface Asked {
  sourceFor: (app: string) => MetricSource;
  clock: Clock;
}

/** A note for each rule that cannot fire on a fall or a rise, or only on a large one. */
export async function insensitiveRules({ rules, routes }: Rules, asked: Asked): Promise<Finding[]> {
  const figures = rules.filter((rule): rule is FigureRule => rule.members === undefined);
  const groups = Map.groupBy(figures, ({ app, window }) => JSON.stringify([app, window]));
  const findings: Finding[] = [];
  // Sequential, because the service limits concurrent requests.
  for (const group of groups.values()) findings.push(...(await findingsOf(group, routes, asked)));
  return findings;
}

type Rules = Pick<RuleSet, 'rules' | 'routes'>;

async function findingsOf(
  rules: FigureRule[],
  routes: RuleSet['routes'],
  { sourceFor, clock }: Asked,
): Promise<Finding[]> {
  const [first] = rules;
  if (!first) return [];
  const endAt = clock.now();
  const span = { startAt: endAt - REPLAYED_DAYS[first.window] * DAY_MS, endAt };
  const range = { from: span.startAt, to: span.endAt };
  try {
    const figures = await readArchive({ rules, ...range, sourceFor, clock });
    const ledger = new Ledger(rules);
    for await (const event of replay({ ruleSet: { version: '', rules, routes }, ...range, figures }))
      ledger.add(event);
    return rules.flatMap((rule) => {
      const series = ledger.seriesOf(rule.id);
      const found = sensitivitiesOf(rule, series, span);
      const isUnknown = found.length === 0 && series.some(({ shown }) => shown.length > 0);
      return findingOf(rule, isUnknown && asksForSeason(rule) ? youngText(rule) : textOf(rule, found));
    });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const more = rules.length > 1 ? ` and ${rules.length - 1} more` : '';
    return findingOf(first, `what ${first.id}${more} would fire on cannot be read: ${error.message}`);
  }
}

function findingOf({ id, fire }: FigureRule, message: string | undefined): Finding[] {
  const path = [fire ? 'fire' : 'anomaly'];
  return message === undefined ? [] : aboutRule(id, [{ code: 'live-insensitive', path, message }]);
}

function youngText({ window }: FigureRule): string {
  const needed = window === 'day' ? 'two weeks of days' : 'two days of hours';
  return `cannot fire yet: the seasonal model needs ${needed}`;
}

function textOf(rule: FigureRule, found: SeriesSensitivity[]): string | undefined {
  // A minimum leaves small segments out on purpose, but not the largest.
  const poor = found.filter(
    ({ sensitivity }, i) => isPoor(rule, sensitivity) && (i === 0 || !isBelowMinimum(sensitivity)),
  );
  const isLargest = poor[0] !== undefined && poor[0] === found[0];
  return isLargest || (poor.length > 0 && 2 * poor.length >= found.length)
    ? sensitivitiesText(rule, found)
    : undefined;
}

function isBelowMinimum(sensitivity: Sensitivity): boolean {
  if (sensitivity.kind === 'too-young') return false;
  const reaches = [sensitivity.fall, sensitivity.rise];
  return reaches.some((reach) => reach && 'never' in reach && reach.never === 'below-minimum');
}

function isPoor(rule: FigureRule, sensitivity: Sensitivity): boolean {
  if (sensitivity.kind === 'too-young') return true;
  const { expected, fall, rise } = sensitivity;
  const { low, high } = bandAround(rule, expected, null);
  const isLarge = (reach: Reach | null, own: number | null, factorOf: (from: number) => number) => {
    if (!reach) return false;
    if ('never' in reach) return true;
    return reach.from !== own && expected > 0 && factorOf(reach.from) > LARGE_FACTOR;
  };
  return isLarge(rise, high, (from) => from / expected) || isLarge(fall, low, (from) => expected / from);
}
