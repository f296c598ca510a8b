import { type Draw, drawsFor, gammaAroundOne, poisson } from '../../../local/data/demo/draws.ts';
import { type Measure, SeasonalModel, type Surprise } from '../../../shared/statistics/seasonal.ts';
import { DAILY, HOURLY, type Seasonality } from '../../../shared/statistics/seasonality.ts';

/** Random counts with a weekly shape and a mean of about `rate` per window. */
export function seriesOf(
  { slots }: Seasonality,
  windows: number,
  rate: number,
  noise: number,
  draw: Draw,
): number[] {
  return Array.from({ length: windows }, (_, i) => {
    const ofDay = slots > 7 ? 1 + 0.7 * Math.sin(((i % 24) * Math.PI) / 12) : 1;
    const ofWeek = i % slots < (slots * 5) / 7 ? 1.1 : 0.75;
    return poisson(draw, rate * ofDay * ofWeek * gammaAroundOne(draw, noise));
  });
}

/** Evaluates and learns each value, from slot 0 on. */
export function evaluated(
  seasonality: Seasonality,
  values: (number | null)[],
  model = new SeasonalModel(seasonality),
) {
  return values.map((value, i) => {
    const observation = { slot: i % seasonality.slots, exposure: 1, value };
    const surprise = model.surpriseOf(observation);
    model.learn(observation);
    return surprise;
  });
}

export function learned(
  seasonality: Seasonality,
  values: number[],
  measure: Measure = 'count',
): SeasonalModel {
  const model = new SeasonalModel(seasonality, measure);
  for (const [i, value] of values.entries()) model.learn({ slot: i % seasonality.slots, exposure: 1, value });
  return model;
}

export function surprise(model: SeasonalModel, slot: number, value: number, exposure = 1): Surprise {
  const found = model.surpriseOf({ slot, exposure, value });
  if (!found) throw new Error('the model knows too little');
  return found;
}

/** The expected value of the next window, as returned with a value near it. */
export function expectedIn(model: SeasonalModel, slot: number, exposure = 1): number {
  const near = surprise(model, slot, 0, exposure).expected;
  return surprise(model, slot, near, exposure).expected;
}

/** Twelve weeks of normal hours. The next slot is 0. */
export const hours = (rate = 400, noise = 0.05, seed = 1) =>
  seriesOf(HOURLY, 12 * 168, rate, noise, drawsFor(seed, 'hours', rate));
export const expectedAt = (hour: number) => Math.round(440 * (1 + 0.7 * Math.sin((hour * Math.PI) / 12)));
export const days = (weeks = 20, seed = 1) => seriesOf(DAILY, weeks * 7, 5000, 0.04, drawsFor(seed, 'days'));
