import { type Draw, drawsFor, gammaAroundOne, logNormal, poisson } from '../../local/data/demo/draws.ts';
import { dispersedCountTest, type ExposedPair } from '../../shared/statistics/counts.ts';
import type { Outcome } from './outcome.ts';

const SEED = 1;
const MEANS = [10, 100, 1000, 20_000];
/** Standard deviations of a period's rate, as a share: 0 makes counts Poisson, the others negative binomial. */
const SPREADS = [0, 0.1, 0.3];
const PASTS = [8, 26, 56];
const WINDOWS = 6000;

/** How often the count test calls a window of a series that nothing happens to a change from the one before. */
export function simulatedRejections(level: number): Outcome[] {
  return MEANS.flatMap((mean) =>
    SPREADS.flatMap((spread) =>
      PASTS.map((past) => {
        const kind = spread === 0 ? 'Poisson' : `negative binomial ${100 * spread} %`;
        const name = `${kind}, ${mean} a window, ${past} earlier pairs`;
        const draw = drawsFor(SEED, 'calibration', name);
        const counts = Array.from({ length: WINDOWS + past + 1 }, () =>
          poisson(draw, mean * (spread === 0 ? 1 : gammaAroundOne(draw, spread))),
        );
        const pairs = neighboursOf(counts);
        const rejected = pairs
          .slice(past)
          .filter((pair, at) => dispersedCountTest(pair, pairs.slice(at, at + past)).p <= level);
        return { name, of: rejected.length, to: pairs.length - past };
      }),
    ),
  );
}

/** A fall in a single series of 1,000 a window: how often it is found. `tau` is that of the log ratio of two windows. */
export function singlePower(left: number, tau: number, level: number): Outcome {
  const [draws, past] = [2000, 56];
  const draw = drawsFor(SEED, 'power', left, tau);
  const found = Array.from({ length: draws }).filter(() => {
    const counts = [
      ...countsOf(draw, { mean: 1000, tau, windows: past + 1 }),
      countOf(draw, 1000 * left, tau),
    ];
    const pairs = neighboursOf(counts);
    const last = pairs.at(-1);
    return last && dispersedCountTest(last, pairs.slice(0, -1)).p <= level;
  });
  const fall = `falls by ${Math.round(100 * (1 - left))} %`;
  return { name: `one series of 1,000 a window, tau ${tau}, ${fall}`, of: found.length, to: draws };
}

/** Counts whose pairs have log ratios that differ by `tau` beyond Poisson, normally. */
function countsOf(
  draw: Draw,
  { mean, tau, windows }: { mean: number; tau: number; windows: number },
): number[] {
  return Array.from({ length: windows }, () => countOf(draw, mean, tau));
}

function countOf(draw: Draw, mean: number, tau: number): number {
  return poisson(draw, mean * logNormal(draw, 1, tau / Math.SQRT2));
}

function neighboursOf(counts: readonly number[]): ExposedPair[] {
  return counts.slice(1).map((amount, at) => ({
    current: { amount, exposure: 1 },
    baseline: { amount: counts[at] ?? 0, exposure: 1 },
  }));
}
