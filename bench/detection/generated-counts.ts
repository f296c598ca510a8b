import {
  between,
  type Draw,
  drawsFor,
  gammaAroundOne,
  poisson,
  wholeBetween,
} from '../../local/data/demo/draws.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { type Series, seriesOf } from './series.ts';

/** Weeks and mean events per hour of each series. */
const RECIPES = [
  { weeks: 1, rate: 30 },
  { weeks: 2, rate: 2 },
  { weeks: 3, rate: 12 },
  { weeks: 4, rate: 5 },
  { weeks: 4, rate: 40 },
  { weeks: 6, rate: 1 },
  { weeks: 6, rate: 20 },
  { weeks: 8, rate: 8 },
];

/** Monday, 1 January 2024. */
const START = Date.UTC(2024, 0, 1);
const SEED = 1;

/** Incidents per week, after the first two days. */
const INCIDENTS_PER_WEEK = 2;

/** Young series of low counts with quiet nights and large, labelled rises, as of crashes. The same in every run. */
export function generatedCounts(): Series[] {
  return RECIPES.flatMap(({ weeks, rate }, i) => {
    const name = `generated_crashes_${i + 1}`;
    const draw = drawsFor(SEED, 'counts', name);
    const rises = risesOf(weeks, draw);
    const labels = rises.map(({ startAt, endAt }) => ({ startAt, endAt }));
    const rows = Array.from({ length: weeks * 168 }, (_, hour) => {
      const at = START + hour * HOUR_MS;
      const rise = rises.find(({ startAt, endAt }) => at >= startAt && at < endAt);
      const mean = rate * shapeAt(hour) * gammaAroundOne(draw, 0.3);
      // A rise is visible at night too.
      return { at, value: poisson(draw, rise ? rise.factor * Math.max(mean, rate / 2) : mean) };
    });
    return seriesOf(name, rows, HOUR_MS, { labels, isLabelled: true });
  });
}

/** One rise of some hours in each part of the series. */
function risesOf(weeks: number, draw: Draw) {
  const part = Math.floor((7 * 24) / INCIDENTS_PER_WEEK) * HOUR_MS;
  const parts = Math.floor((weeks * 7 * DAY_MS - 2 * DAY_MS) / part);
  return Array.from({ length: parts }, (_, i) => {
    const hours = wholeBetween(draw, 1, 6);
    const latest = part / HOUR_MS - hours;
    const startAt = START + 2 * DAY_MS + i * part + wholeBetween(draw, 0, latest - 1) * HOUR_MS;
    // Uniform on the logarithm, from 5 to 50.
    return { startAt, endAt: startAt + hours * HOUR_MS, factor: 5 * 10 ** between(draw, 0, 1) };
  });
}

/** Almost nothing at night, most in the afternoon. The mean is about 1. */
function shapeAt(hour: number): number {
  return 0.05 + 2.85 * Math.max(0, Math.sin(((hour % 24) - 6) * (Math.PI / 16))) ** 2;
}
