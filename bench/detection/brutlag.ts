import type { Detector } from './contestant.ts';

/** From the documentation of RRDtool: the smoothing of level and season, and of a trend over months. */
const SMOOTHING = 0.1;
const TREND_SMOOTHING = 0.0035;

/** Brutlag (LISA 2000) recommends bounds of two to three deviations. */
const DELTA = 3;

/** Additive triple exponential smoothing with a smoothed deviation per slot, after Brutlag (LISA 2000). */
export function holtWinters(slots: number): Detector {
  const season = new Float64Array(slots);
  const deviation = new Float64Array(slots);
  let [level, trend, seen] = [0, 0, 0];
  const errorOf = (slot: number, value: number) => Math.abs(value - (level + trend + (season[slot] ?? 0)));
  /** The first season has no forecast: it sets the level and the season. */
  const learnFirstSeason = (slot: number, value: number) => {
    level += (value - level) / seen;
    season[slot] = value;
    if (seen === slots) for (const [i, each] of season.entries()) season[i] = each - level;
  };
  return {
    score({ slot, value }) {
      if (value === null || seen < 2 * slots) return 0;
      const error = errorOf(slot, value);
      return error === 0 ? 0 : error / (DELTA * (deviation[slot] ?? 0));
    },
    learn({ slot, value }) {
      if (value === null) return;
      if (seen++ < slots) return learnFirstSeason(slot, value);
      const [usual, spread, error] = [season[slot] ?? 0, deviation[slot] ?? 0, errorOf(slot, value)];
      const before = level;
      level = SMOOTHING * (value - usual) + (1 - SMOOTHING) * (level + trend);
      trend = TREND_SMOOTHING * (level - before) + (1 - TREND_SMOOTHING) * trend;
      season[slot] = SMOOTHING * (value - level) + (1 - SMOOTHING) * usual;
      // The first error of a slot is its first estimate of the deviation.
      deviation[slot] = seen <= 2 * slots ? error : SMOOTHING * error + (1 - SMOOTHING) * spread;
    },
  };
}
