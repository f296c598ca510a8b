import { DAILY, HOURLY, SeasonalModel } from '../statistics/seasonal.ts';
import type { Almanac } from './almanac.ts';
import { type Memory, overlapsAny } from './baseline.ts';
import type { Surprise } from './evaluation.ts';
import type { History } from './history.ts';
import { holidayIn } from './holiday-calendar.ts';
import { metricOf } from './metrics.ts';
import type { SeriesKey } from './reading.ts';
import type { Rule } from './rule.ts';
import type { Window } from './window.ts';

/** Windows before the one under judgement that the model is told: as long as readings are kept. */
export const SEASONAL_WINDOWS = { hour: 10 * 168, day: 57 * 7 } as const;

/** Whether what is usual for the hour or day of the week takes part in the verdict. */
export function asksForSeason(rule: Rule): boolean {
  return rule.anomaly !== undefined || rule.baseline.to === 'seasonal';
}

/**
 * How far `window` is from what its past made likely. The model is told the kept past anew each time, so that a verdict
 * follows from the readings alone; incidents and holidays teach it nothing. `undefined` while it knows too little.
 */
export function surpriseIn(
  rule: Rule,
  window: Window,
  series: SeriesKey,
  { history, memory, almanac }: { history: History; memory: Memory; almanac: Almanac },
): Surprise | undefined {
  if (rule.window !== 'hour' && rule.window !== 'day') return undefined;
  const metric = metricOf(rule.metric);
  const model = new SeasonalModel(rule.window === 'hour' ? HOURLY : DAILY, metric.kind);
  const past = almanac.through(almanac.before(window), SEASONAL_WINDOWS[rule.window]);
  const known = past.findIndex((each) => history.reading(each, series, metric) !== undefined);
  if (known < 0) return undefined;
  for (const each of past.slice(known)) {
    const value = history.reading(each, series, metric)?.value ?? null;
    const teaches = !overlapsAny(each, memory.incidents) && !holidayIn(each, rule);
    model.learn({ ...almanac.slotOf(each), value }, teaches);
  }
  const value = history.reading(window, series, metric)?.value ?? null;
  const surprise = model.surpriseOf({ ...almanac.slotOf(window), value });
  if (!surprise) return undefined;
  const { expected, low, high, z, limit, isBeyond, larger, remembered } = surprise;
  return { expected, low, high, z, limit, isBeyond, larger, remembered };
}
