import { type Draw, drawsFor, gammaAroundOne, logNormal, poisson } from '../../local/data/demo/draws.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { type Series, seriesOf } from './series.ts';

/** A generated series. */
interface Recipe {
  name: string;
  weeks: number;
  /** Mean events per hour. */
  rate: number;
  /** Standard deviation of the rate of an hour and of a day, relative to the rate. */
  hourNoise: number;
  dayNoise: number;
  /** Factor of growth per year. */
  growth: number;
  /** Factor of the level in the second half. */
  step: number;
  /** Share of hours in which a burst starts. */
  bursts: number;
  isLabelled: boolean;
}

const PLAIN: Recipe = {
  ...{ name: '', weeks: 40, rate: 500, hourNoise: 0.05, dayNoise: 0.03, growth: 1.2 },
  ...{ step: 1, bursts: 0, isLabelled: false },
};

const RECIPES: Recipe[] = [
  { ...PLAIN, name: 'generated_calm', rate: 20_000 },
  { ...PLAIN, name: 'generated_weathered', hourNoise: 0.15, dayNoise: 0.25 },
  { ...PLAIN, name: 'generated_rare', rate: 3 },
  { ...PLAIN, name: 'generated_growing', rate: 60, growth: 4 },
  { ...PLAIN, name: 'generated_stepped', step: 0.6 },
  { ...PLAIN, name: 'generated_known', rate: 200, dayNoise: 0.08, isLabelled: true },
  {
    ...PLAIN,
    name: 'generated_bursty',
    weeks: 10,
    rate: 80,
    hourNoise: 0.3,
    bursts: 0.004,
    isLabelled: true,
  },
];

/** Monday, 1 January 2024. */
const START = Date.UTC(2024, 0, 1);
const SEED = 1;

/** Series of many kinds, the same in every run. */
export function generatedSeries(): Series[] {
  return RECIPES.flatMap((recipe) => {
    const draw = drawsFor(SEED, 'series', recipe.name);
    const labels = recipe.isLabelled ? labelsOf(recipe, draw) : [];
    const rows = [...rowsOf(recipe, labels, draw)];
    return seriesOf(recipe.name, rows, HOUR_MS, { labels, isLabelled: recipe.isLabelled });
  });
}

/** An incident of some hours about every two weeks, from the fourth week on. */
function labelsOf({ weeks }: Recipe, draw: Draw): Series['labels'] {
  return Array.from({ length: Math.floor((weeks - 3) / 2) }, (_, i) => {
    const startAt = START + (21 + 14 * i) * DAY_MS + Math.floor(draw() * 10 * 24) * HOUR_MS;
    return { startAt, endAt: startAt + (6 + Math.floor(draw() * 18)) * HOUR_MS };
  });
}

function* rowsOf(recipe: Recipe, labels: Series['labels'], draw: Draw) {
  const hours = recipe.weeks * 168;
  let [day, burst] = [1, 1];
  for (let i = 0; i < hours; i++) {
    const at = START + i * HOUR_MS;
    if (i % 24 === 0) day = 1 + 0.6 * (day - 1) + (gammaAroundOne(draw, recipe.dayNoise) - 1);
    burst = draw() < recipe.bursts ? logNormal(draw, 4, 0.4) : 1 + 0.6 * (burst - 1);
    const trend = recipe.growth ** (i / (52 * 168)) * (i > hours / 2 ? recipe.step : 1);
    const happening = labels.findIndex((label) => at >= label.startAt && at < label.endAt);
    const incident = happening < 0 ? 1 : happening % 2 ? 2.5 : 0.3;
    const noise = Math.max(0.05, day) * burst * gammaAroundOne(draw, recipe.hourNoise);
    yield { at, value: poisson(draw, recipe.rate * shapeAt(i) * trend * noise * incident) };
  }
}

/** Quiet nights, busy evenings, and weekends that are busier by a third. The mean is about 1. */
function shapeAt(hour: number): number {
  const ofDay = 1 + 0.8 * Math.cos(((hour % 24) - 18) * (Math.PI / 12));
  const isWeekend = Math.floor(hour / 24) % 7 > 4;
  return ofDay * (isWeekend ? 1.2 : 0.9);
}
