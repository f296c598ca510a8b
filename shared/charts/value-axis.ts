import type { Chart } from '../messages/chart.ts';
import { measureText } from '../messages/figure-text.ts';
import { valueTicks } from './value-ticks.ts';

/** The plot is at most this many times as high as all values and expectations, even if the band is higher. */
const MOST_OF_BAND = 1.6;

/** If all values are above this share of the largest one, the axis does not start at 0. */
const LEAST_OF_MOST = 0.75;

/** The axis of values. */
export interface ValueAxis {
  ticks: number[];
  /** The first and the last tick. */
  range: [number, number];
  /** Where the expected range continues above the axis, its highest limit; otherwise `null`. */
  beyond: { startAt: number; high: number } | null;
}

export function valueAxis(chart: Chart): ValueAxis {
  const ticks = valueTicks(...valueSpan(chart));
  const range: [number, number] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const [highest] = chart.points
    .flatMap(({ window, band }) => (band?.high == null ? [] : [{ startAt: window.startAt, high: band.high }]))
    .toSorted((a, b) => b.high - a.high || b.startAt - a.startAt);
  return { ticks, range, beyond: highest && highest.high > range[1] ? highest : null };
}

/** "expected up to 4,200", for a limit that is not on the axis. */
export function beyondText(high: number, isShare: boolean): string {
  return `expected up to ${measureText(high, isShare)}`;
}

/** Starts at 0, unless all values are so far above 0 that the line would look flat. */
function valueSpan({ points, compared }: Chart): [number, number] {
  const bands = points.flatMap(({ band }) => band ?? []);
  const drawn = [
    ...points.flatMap(({ value }) => value ?? []),
    ...(compared?.values ?? []).flatMap((value) => value ?? []),
    ...bands.map(({ expected }) => expected),
  ];
  const most = Math.max(...drawn);
  const highest = Math.max(most, ...bands.map(({ high }) => Math.min(high ?? 0, most * MOST_OF_BAND)));
  const lowest = Math.min(...drawn, ...bands.map(({ low, expected }) => low ?? expected));
  return [lowest > LEAST_OF_MOST * highest && highest > lowest ? lowest : 0, highest];
}
