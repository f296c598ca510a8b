import { drawsFor, gammaAroundOne, poisson } from '../local/data/demo/draws.ts';
import { type Observation, SeasonalModel } from '../shared/statistics/seasonal.ts';
import { HOURLY } from '../shared/statistics/seasonality.ts';

/** Windows evaluated in each measurement. */
const MEASURED = 100_000;

/** Windows that the model has learned before each measurement: none, up to more than 100 years of hours. */
const HISTORIES = [0, 10_000, 100_000, 1_000_000];

/**
 * Evaluates windows with the seasonal model, in order and on one core: expectation, distance and update. The cost of
 * a window must not grow with the history.
 */
export async function run() {
  const observations = hours(24 * 365);
  const model = new SeasonalModel(HOURLY);
  let [seen, beyond] = [0, 0];
  const evaluate = (windows: number) => {
    const until = seen + windows;
    for (; seen < until; seen++) {
      const observation = observations[seen % observations.length];
      if (!observation) continue;
      if (model.surpriseOf(observation)?.isBeyond) beyond++;
      model.learn(observation);
    }
  };
  // Without a warm-up, the first measurement would include the compilation.
  new SeasonalModel(HOURLY).learn({ slot: 0, exposure: 1, value: 1 });
  const timings = HISTORIES.map((history) => {
    evaluate(history - seen);
    const startedAt = performance.now();
    evaluate(MEASURED);
    return { history, ms: performance.now() - startedAt };
  });
  const perMillion = timings.map(({ ms }) => Math.round((ms * 1_000_000) / MEASURED));
  console.log(`${seen} windows evaluated, ${beyond} of them beyond the limit`);
  const [, second] = timings;
  const last = timings.at(-1);
  const slowest = Math.max(...timings.slice(1).map(({ ms }) => ms));
  return {
    evaluationsPerSecond: Math.round((MEASURED * 1000) / slowest),
    msPerMillionAt: Object.fromEntries(HISTORIES.map((history, i) => [history, perMillion[i]])),
    growth: second && last ? Math.round((1000 * last.ms) / second.ms) / 1000 : null,
  };
}

function hours(count: number): Observation[] {
  const draw = drawsFor(1, 'judge');
  return Array.from({ length: count }, (_, i) => {
    const expected = 400 * (1 + 0.8 * Math.sin((i * Math.PI) / 12)) * (i % 168 < 120 ? 1 : 1.3);
    return { slot: i % 168, exposure: 1, value: poisson(draw, expected * gammaAroundOne(draw, 0.1)) };
  });
}
