import { type Draw, drawsFor, gammaAroundOne, logNormal, poisson } from '../../local/data/demo/draws.ts';
import {
  countDeviation,
  type Exposed,
  type ExposedPair,
  meanDeviation,
} from '../../shared/statistics/counts.ts';
import { withoutRebound } from '../../shared/statistics/deviation.ts';
import { dispersedTest } from '../../shared/statistics/dispersion.ts';
import type { Outcome } from './outcome.ts';

const SEED = 1;
const MEANS = [10, 100, 1000, 20_000];
/** Standard deviations of a window's rate, as a share of it. Counts are Poisson for 0, else negative binomial. */
const SPREADS = [0, 0.1, 0.3];
const PASTS = [8, 26, 56];
const WINDOWS = 6000;

/** Seeds the draws by name. The space keeps the draws of the earlier spelling, and so the figures comparable. */
function drawsNamed(name: string): Draw {
  return drawsFor(SEED, 'calibration', name.replace('%', ' %'));
}

/** How often the count test reports a change between neighbouring windows of a series without one. */
export function simulatedRejections(level: number): Outcome[] {
  return MEANS.flatMap((mean) =>
    SPREADS.flatMap((spread) =>
      PASTS.map((past) => {
        const kind = spread === 0 ? 'Poisson' : `negative binomial ${100 * spread}%`;
        const name = `${kind}, ${mean} a window, ${past} earlier pairs`;
        const draw = drawsNamed(name);
        const counts = Array.from({ length: WINDOWS + past + 1 }, () =>
          poisson(draw, mean * (spread === 0 ? 1 : gammaAroundOne(draw, spread))),
        );
        const pairs = neighboursOf(counts).map(countDeviation);
        const rejected = pairs.slice(past).filter((pair, at) => {
          const before = pairs.slice(at, at + past);
          return dispersedTest(withoutRebound(pair, before.at(-1)), before).p <= level;
        });
        return { name, of: rejected.length, to: pairs.length - past };
      }),
    ),
  );
}

const SESSIONS_ON_SUNDAY = [3, 10, 100];
const SESSIONS_ELSE = 1000;
/** The standard deviation of a session's length, as a share of the mean. */
const SESSION_SPREADS = [0.5, 0.75, 1];

/** How often the test reports a change between Sundays, for means over few sessions on Sundays and many on other days. */
export function simulatedMeanRejections(level: number): Outcome[] {
  return SESSIONS_ON_SUNDAY.flatMap((few) =>
    SESSION_SPREADS.map((spread) => {
      const [sundays, past] = [2000, 56];
      const name = `means of ${few} sessions that differ by ${100 * spread}%`;
      const draw = drawsNamed(name);
      const days = Array.from({ length: 7 * sundays }, (_, day) => {
        const exposure = day % 7 === 6 ? few : SESSIONS_ELSE;
        return { amount: 120 * exposure * gammaAroundOne(draw, spread / Math.sqrt(exposure)), exposure };
      });
      const deviations = pairsAtLag(days, 7).map(meanDeviation);
      const tests = deviations.flatMap((deviation, at) =>
        at % 7 === 6 && at >= past
          ? [dispersedTest(withoutRebound(deviation, deviations[at - 7]), deviations.slice(at - past, at))]
          : [],
      );
      return { name, of: tests.filter(({ p }) => p <= level).length, to: tests.length };
    }),
  );
}

/** How often a fall in one series with 1,000 per window is detected. `tau` is that of the log ratio of two windows. */
export function singlePower(left: number, tau: number, level: number): Outcome {
  const [draws, past] = [2000, 56];
  const draw = drawsFor(SEED, 'power', left, tau);
  const found = Array.from({ length: draws }).filter(() => {
    const counts = [
      ...countsOf(draw, { mean: 1000, tau, windows: past + 1 }),
      countOf(draw, 1000 * left, tau),
    ];
    const deviations = neighboursOf(counts).map(countDeviation);
    const last = deviations.pop();
    return last && dispersedTest(withoutRebound(last, deviations.at(-1)), deviations).p <= level;
  });
  const fall = `falls by ${Math.round(100 * (1 - left))}%`;
  return { name: `one series of 1,000 a window, tau ${tau}, ${fall}`, of: found.length, to: draws };
}

/** Counts whose log ratios have a normal spread of `tau` in addition to Poisson noise. */
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
  return pairsAtLag(
    counts.map((amount) => ({ amount, exposure: 1 })),
    1,
  );
}

function pairsAtLag(windows: readonly Exposed[], lag: number): ExposedPair[] {
  return windows.slice(lag).flatMap((current, at) => {
    const baseline = windows[at];
    return baseline ? [{ current, baseline }] : [];
  });
}
