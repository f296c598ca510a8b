import { between, type Draw, poisson } from '../../local/data/demo/draws.ts';
import type { Window } from '../../shared/time/window.ts';
import { type Series, type SeriesGrain, SPAN } from './series.ts';

/** A change of a series: its values are multiplied by `factor` for `windows` windows. */
export interface Scenario {
  name: string;
  factor: number;
  windows: number;
}

const outage = (windows: number): Scenario => ({ name: `outage ${windows}`, factor: 0, windows });
const drop = (percent: number, windows: number): Scenario => ({
  name: `-${percent} % ${windows}`,
  factor: 1 - percent / 100,
  windows,
});
const spike = (factor: number, windows: number): Scenario => ({
  name: `x${factor} ${windows}`,
  factor,
  windows,
});

export const SCENARIOS: Record<SeriesGrain, Scenario[]> = {
  hour: [
    ...[outage(1), outage(3), drop(50, 1), drop(50, 6), drop(30, 3), drop(30, 24), drop(20, 24)],
    ...[spike(1.5, 6), spike(2, 1), spike(3, 1)],
  ],
  day: [
    ...[outage(1), drop(50, 1), drop(30, 1), drop(30, 3), drop(20, 7)],
    ...[spike(1.5, 1), spike(2, 1), spike(1.3, 3)],
  ],
};

/** Windows that every detector learns from before the measurement starts. */
export const WARM_UP_WINDOWS: Record<SeriesGrain, number> = { hour: 3 * 168, day: 8 * 7 };

/** Windows per injection, so that the effect of one on a detector has faded before the next. */
const WINDOWS_APART: Record<SeriesGrain, number> = { hour: 4 * 168, day: 13 * 7 };

/** A half-open range of indices. */
export interface Span {
  from: number;
  to: number;
}

export interface Injected {
  series: Series;
  /** In ascending order. */
  spans: Span[];
}

/** Puts the scenario into the series at random places outside its labels. */
export function inject(series: Series, scenario: Scenario, draw: Draw): Injected {
  const points = [...series.points];
  const spans: Injected['spans'] = [];
  const apart = WINDOWS_APART[series.grain];
  for (let start = WARM_UP_WINDOWS[series.grain]; start < points.length; start += apart) {
    const room = Math.min(apart, points.length - start) - scenario.windows;
    const from = placeIn(series, start, room, scenario.windows, draw);
    if (from === undefined) continue;
    spans.push({ from, to: from + scenario.windows });
    for (let i = from; i < from + scenario.windows; i++) {
      const point = points[i];
      if (point?.value != null)
        points[i] = { ...point, value: changed(point.value, scenario.factor, series.kind, draw) };
    }
  }
  return { series: { ...series, points }, spans };
}

/** Removes or adds independent events. A mean is scaled. */
function changed(value: number, factor: number, kind: Series['kind'], draw: Draw): number {
  if (kind === 'mean') return value * factor;
  return factor < 1 ? binomial(draw, value, factor) : value + poisson(draw, value * (factor - 1));
}

const TRIES = 20;

function placeIn(
  series: Series,
  start: number,
  room: number,
  windows: number,
  draw: Draw,
): number | undefined {
  for (let attempt = 0; attempt < TRIES && room >= 0; attempt++) {
    const from = start + Math.floor(between(draw, 0, room + 1));
    const inside = series.points.slice(from, from + windows);
    const isKnown = inside.every(({ value }) => value !== null) && inside.some(({ value }) => value);
    if (isKnown && !inside.some(({ at }) => isLabelled(series, at))) return from;
  }
  return undefined;
}

/** Whether the window that starts at `at` overlaps a label. */
export function isLabelled({ labels, grain }: Series, at: number): boolean {
  return labels.some((label: Window) => at < label.endAt && at + SPAN[grain] > label.startAt);
}

/** Counts up to 100 trials one by one. Above that it rounds a normal variate. */
function binomial(draw: Draw, trials: number, chance: number): number {
  if (trials > 100) {
    const sd = Math.sqrt(trials * chance * (1 - chance));
    const normal = Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
    return Math.min(trials, Math.max(0, Math.round(trials * chance + sd * normal)));
  }
  let hits = 0;
  for (let i = 0; i < trials; i++) if (draw() < chance) hits++;
  return hits;
}
