import { seriesOf } from '../shared/readings/series.ts';
import type { FigureRule, Rule } from '../shared/rules/rule.ts';
import type { Millis } from '../shared/runtime/clock.ts';
import { DAILY, HOURLY } from '../shared/statistics/seasonality.ts';
import { nextRun } from '../shared/time/cadence.ts';
import { endAfter, type Grain, lastClosedWindow } from '../shared/time/window.ts';
import { DAY_MS, MINUTE_MS } from '../shared/units/durations.ts';

/** A window is complete if its data begins within this share of it: the first event of a day is rarely at midnight. */
const LATE_PART = 1 / 20;

const WINDOWS_A_WEEK: Partial<Record<Grain, number>> = { hour: 168, day: 7 };

/** Times of an app's first and last event. The last may be in the future: demo data is generated ahead. */
export interface DataSpan {
  firstAt: Millis;
  lastAt: Millis;
}

/** The runs of these rules in `(fromAt, throughAt]`. */
export interface CatchUpSpan {
  rules: readonly Rule[];
  fromAt: Millis;
  throughAt: Millis;
}

export interface Bounds {
  now: Millis;
  /** Days of data to replay on the first start. */
  days: number;
  /** The time through which earlier starts ran a rule, by id. */
  ticked: ReadonlyMap<string, Millis>;
}

/** The end of a window, and the first run that can evaluate it. */
interface Evaluable {
  endAt: Millis;
  runAt: Millis;
}

/** The first run that can evaluate a window, if the data of the app begins at `firstAt`. */
export function evaluableAt(rules: readonly Rule[], firstAt: Millis): Millis {
  return Math.min(...rules.flatMap((rule) => (rule.members ? [] : [evaluableBy(rule, firstAt).runAt])));
}

/** The first complete window with a complete baseline. */
function evaluableBy(rule: FigureRule, firstAt: Millis): Evaluable {
  const { calendar } = seriesOf(rule);
  const startAt = lastClosedWindow(firstAt, calendar).endAt;
  const partEndAt = endAfter(startAt, 1, calendar);
  const isWhole = firstAt - startAt <= LATE_PART * (partEndAt - startAt);
  const wholeEndAt = isWhole ? partEndAt : endAfter(partEndAt, 1, calendar);
  const endAt = endAfter(wholeEndAt, windowsOfPast(rule), calendar);
  return { endAt, runAt: endAt + rule.settle * MINUTE_MS };
}

/** Number of windows between the first of a series and the first with a baseline. */
function windowsOfPast({ baseline, window }: FigureRule): number {
  switch (baseline.to) {
    case 'none':
    case 'other_segments':
    case 'previous_version':
      return 0;
    case 'previous_period':
      return 1;
    case 'same_weekday':
    case 'median':
      return WINDOWS_A_WEEK[window] ?? 1;
    case 'seasonal':
      // The model needs every slot of its shorter season twice.
      return 2 * (window === 'hour' ? HOURLY : DAILY).subSlots;
  }
}

/**
 * The runs to do for an app's `rules`. A new rule gets the last days of data, from the first window it can
 * evaluate; other rules get the runs they missed. Ends with the runs that find the data overdue.
 */
export function catchUpSpans(rules: readonly Rule[], data: DataSpan, bounds: Bounds): CatchUpSpan[] {
  const { now } = bounds;
  const throughAt = data.lastAt < now ? Math.min(now, overdueRunAt(rules, data.lastAt)) : now;
  const begins = new Map<string, Millis | undefined>();
  for (const rule of rules) if (!rule.members) begins.set(rule.id, firstRunAfter(rule, data, bounds));
  const beginOf = ({ id, members }: Rule) =>
    // A composite rule can be evaluated once one of its members can.
    members ? earliest(members.ruleIds.map((each) => begins.get(each))) : begins.get(id);
  const starts = Map.groupBy(rules, (rule) => bounds.ticked.get(rule.id) ?? beginOf(rule));
  return [...starts].flatMap(([fromAt, alike]) =>
    fromAt !== undefined && fromAt < throughAt ? [{ rules: alike, fromAt, throughAt }] : [],
  );
}

function earliest(times: (Millis | undefined)[]): Millis | undefined {
  const known = times.filter((at) => at !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** `undefined` if the rule can evaluate no window of the data. */
function firstRunAfter(rule: FigureRule, data: DataSpan, { now, days }: Bounds): Millis | undefined {
  const lastAt = Math.min(now, data.lastAt);
  const { endAt, runAt } = evaluableBy(rule, data.firstAt);
  return days > 0 && endAt <= lastAt ? Math.max(runAt - 1, lastAt - days * DAY_MS) : undefined;
}

/** The time by which a run of each rule finds the data overdue, if it ends at `lastAt`. */
function overdueRunAt(rules: readonly Rule[], lastAt: Millis): Millis {
  const runs = rules.map(({ cadence, settle, grace }) =>
    nextRun(cadence, lastAt + (settle + grace) * MINUTE_MS),
  );
  return Math.max(...runs);
}

/** The spans split at all starts and ends, in order, without gaps between them. */
export function stretchesOf(spans: readonly CatchUpSpan[]): CatchUpSpan[] {
  const cuts = [...new Set(spans.flatMap(({ fromAt, throughAt }) => [fromAt, throughAt]))];
  const inOrder = cuts.toSorted((a, b) => a - b);
  return inOrder.flatMap((fromAt, i): CatchUpSpan[] => {
    const throughAt = inOrder[i + 1];
    if (throughAt === undefined) return [];
    const among = spans.filter((span) => span.fromAt <= fromAt && throughAt <= span.throughAt);
    return among.length > 0 ? [{ rules: among.flatMap(({ rules }) => rules), fromAt, throughAt }] : [];
  });
}
