import type { Bounds } from '../rules/bounds.ts';
import { isSummed } from '../rules/metric.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import { endAfter, type Window } from '../time/window.ts';
import { DAY_MS } from '../units/durations.ts';
import { bandAround, type ExpectedBand } from './expected-limits.ts';
import { asksForSeason } from './season.ts';

/** A window and what was expected of it; `null` if that was unknown. */
export interface ExpectedWindow {
  window: Window;
  band: ExpectedBand | null;
}

/**
 * Why no value fires: even zero events are likely by chance, the series varies too much, the rule's bounds are out of
 * reach, or the expected value is below the rule's minimum.
 */
export type NeverReason = 'too-few' | 'too-variable' | 'bounds' | 'below-minimum';

/** The value beyond which a window breaches. */
export type Reach = { from: number } | { never: NeverReason };

/** The smallest fall and rise that would breach now. */
export type Sensitivity =
  | { kind: 'too-young'; verdictsFromAt: number }
  | {
      kind: 'known';
      /** The window with the median expected value. */
      window: Window;
      expected: number;
      /** `null` if the rule does not watch this direction. */
      fall: Reach | null;
      rise: Reach | null;
      /** The number of windows, and in how many of them no fall and no rise could breach. */
      windows: { known: number; withoutFall: number; withoutRise: number };
      /** When the outliers of a week of hours are known. Until then the limits are wider. `null` if they are not. */
      settlesAt: number | null;
      /** Whether the change must be significant too, which can require a larger one. */
      isTested: boolean;
    };

/** With fewer expected events, an empty window may be chance: `exp(-10)` of them, once in 2.5 years of hours. */
const FEW_EVENTS = 10;

/** The windows that show the usual range: a day of hours, a week of days, otherwise the last. */
const SHOWN_MS: Record<FigureRule['window'], number> = { hour: DAY_MS, day: 7 * DAY_MS, week: 0, month: 0 };

/** Windows of history before the first verdict of the season, and until it is settled. */
const SEASON_NEEDS = { hour: { first: 48, settled: 48 + 7 * 24 }, day: { first: 14, settled: 14 } } as const;

/** Drops the windows too old for `sensitivityOf`. `windows` are in order. */
function lastShown<Shown extends ExpectedWindow>(rule: FigureRule, windows: readonly Shown[]): Shown[] {
  const last = windows.at(-1);
  if (!last) return [];
  return windows.filter(
    (each) => each === last || each.window.endAt > last.window.endAt - SHOWN_MS[rule.window],
  );
}

/**
 * The sensitivity of a rule to one series, from its last windows (in order). `sinceAt`: start of its first window, if
 * known. `undefined` if nothing is expected, for another reason than that the series is young, and for a rule whose
 * bounds say little: see `isDecidedByTest`.
 */
export function sensitivityOf(
  rule: FigureRule,
  windows: readonly ExpectedWindow[],
  sinceAt: number | null = null,
): Sensitivity | undefined {
  if (isDecidedByTest(rule)) return undefined;
  const reaches = lastShown(rule, windows).flatMap(({ window, band }) =>
    band ? [{ window, ...reachOf(rule, band) }] : [],
  );
  const ordered = reaches.toSorted((a, b) => a.expected - b.expected);
  const typical = ordered[ordered.length >> 1];
  const last = windows.at(-1)?.window;
  const needs = seasonNeeds(rule, sinceAt);
  if (!typical || !last)
    return needs && last && needs.firstAt > last.startAt
      ? { kind: 'too-young', verdictsFromAt: needs.firstAt }
      : undefined;
  const without = (side: 'fall' | 'rise') =>
    reaches.filter((each) => each[side] && 'never' in each[side]).length;
  return {
    kind: 'known',
    ...typical,
    windows: { known: reaches.length, withoutFall: without('fall'), withoutRise: without('rise') },
    settlesAt: needs && needs.settledAt > last.endAt ? needs.settledAt : null,
    isTested: rule.baseline.to !== 'seasonal',
  };
}

/**
 * An average or a sum of a property needs far more than its bounds to be significant. The size of its sample, which the
 * test needs, is unknown here.
 */
function isDecidedByTest(rule: FigureRule): boolean {
  const metric = metricOf(rule);
  const isOfProperty = metric.kind === 'total' || (metric.kind === 'mean' && metric.ofProperty === true);
  return isOfProperty && rule.baseline.to !== 'seasonal';
}

function seasonNeeds(rule: FigureRule, sinceAt: number | null) {
  if (sinceAt === null || !asksForSeason(rule) || (rule.window !== 'hour' && rule.window !== 'day'))
    return undefined;
  const calendar = { grain: rule.window, zone: rule.zone };
  const { first, settled } = SEASON_NEEDS[rule.window];
  return { firstAt: endAfter(sinceAt, first, calendar), settledAt: endAfter(sinceAt, settled, calendar) };
}

/** Beyond which values a window breaches, by its expected band and the rule's minimum. */
function reachOf(
  rule: FigureRule,
  band: ExpectedBand,
): { expected: number; fall: Reach | null; rise: Reach | null } {
  return {
    expected: band.expected,
    fall: watches(rule, 'fall') ? fallOf(rule, band) : null,
    rise: watches(rule, 'rise') ? riseOf(rule, band) : null,
  };
}

function fallOf(rule: FigureRule, { expected, low }: ExpectedBand): Reach {
  const least = minimumOf(rule);
  if (expected > 0 && expected < least.baseline) return { never: 'below-minimum' };
  if (low === null) return { never: whyNoFall(rule, expected) };
  // With bounds of the level alone, the expected value itself may be beyond them.
  const from = least.difference > 0 ? Math.min(low, expected - least.difference) : low;
  return from > least.current ? { from } : { never: 'below-minimum' };
}

function whyNoFall(rule: FigureRule, expected: number): NeverReason {
  if (expected > 0 && rule.fire && bandAround(rule, expected, null).low === null) return 'bounds';
  return metricOf(rule).kind === 'count' && expected < FEW_EVENTS ? 'too-few' : 'too-variable';
}

function riseOf(rule: FigureRule, { expected, high }: ExpectedBand): Reach {
  const { baseline, current, difference } = minimumOf(rule);
  // Every rise from 0 exceeds a bound of change.
  if (expected === 0) return { from: Math.max(high ?? 0, baseline, current, difference) };
  if (expected < baseline) return { never: 'below-minimum' };
  if (high === null) return { never: 'bounds' };
  return { from: Math.max(high, current, difference > 0 ? expected + difference : high) };
}

/** The minimum of values. For a mean, `current` and `baseline` limit its sample, whose size is unknown here. */
function minimumOf(rule: FigureRule): FigureRule['minimum'] {
  return isSummed(metricOf(rule)) ? rule.minimum : { ...rule.minimum, current: 0, baseline: 0 };
}

/** Whether all bounds of the rule have this side, and the season is not limited to the other. */
function watches({ fire, anomaly }: FigureRule, direction: 'fall' | 'rise'): boolean {
  if ((anomaly === 'fall' || anomaly === 'rise') && anomaly !== direction) return false;
  const side = direction === 'fall' ? 'below' : 'above';
  const bounds: (Bounds[keyof Bounds] | undefined)[] = [fire?.change, fire?.difference, fire?.current];
  return bounds.every((bound) => bound === undefined || bound[side] !== undefined);
}
