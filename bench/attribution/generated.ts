import {
  type Draw,
  drawsFor,
  gammaAroundOne,
  logNormal,
  poisson,
  wholeBetween,
} from '../../local/data/demo/draws.ts';
import type { Leaf } from '../../shared/statistics/attribution-gain.ts';
import type { Case } from './cases.ts';

/** The number of values of each dimension. */
const SIZES = { platform: 3, version: 8, country: 12, model: 6 };
const DIMENSIONS = Object.keys(SIZES);

/** Failures and requests of a generated app. Each case has one or two causes of one or two dimensions. */
export function generatedCases(count: number, seed = 1): Case[] {
  return Array.from({ length: count }, (_, i) => generatedCase(i, drawsFor(seed, 'attribution', i)));
}

function generatedCase(number: number, draw: Draw): Case {
  const causes = causesFrom(draw);
  const factor = draw() < 0.5 ? 0.1 + 0.4 * draw() : 2 + 6 * draw();
  const sizes = Object.values(SIZES).map((size) => Array.from({ length: size }, () => logNormal(draw, 1, 1)));
  const leaves = combinations(Object.values(SIZES)).map((places): Leaf => {
    const requests = 200 * places.reduce((product, place, i) => product * (sizes[i]?.[place] ?? 0), 1);
    const values = places.map((place, i) => `${DIMENSIONS[i]}-${place}`);
    const isHit = causes.some((cause) =>
      values.every((value, i) => (cause[DIMENSIONS[i] ?? ''] ?? value) === value),
    );
    const failing = 0.05 * gammaAroundOne(draw, 0.2);
    const part = (times: number) => {
      const weight = poisson(draw, requests);
      return { weight, amount: Math.min(weight, poisson(draw, weight * failing * times)) };
    };
    return { values, baseline: part(1), current: part(isHit ? factor * gammaAroundOne(draw, 0.3) : 1) };
  });
  return { name: `generated ${number + 1}`, table: { dimensions: DIMENSIONS, leaves }, causes };
}

/** One cause, or two causes with the same dimensions. */
function causesFrom(draw: Draw): Record<string, string>[] {
  const chosen = DIMENSIONS.map((dimension) => ({ dimension, order: draw() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, wholeBetween(draw, 1, 2))
    .map(({ dimension }) => dimension as keyof typeof SIZES);
  const cause = () =>
    Object.fromEntries(
      chosen.map((dimension) => [dimension, `${dimension}-${wholeBetween(draw, 0, SIZES[dimension] - 1)}`]),
    );
  const [first, second] = [cause(), cause()];
  return draw() < 0.3 && JSON.stringify(first) !== JSON.stringify(second) ? [first, second] : [first];
}

/** All combinations of one index per size. */
function combinations(sizes: readonly number[]): number[][] {
  return sizes.reduce<number[][]>(
    (rows, size) => rows.flatMap((row) => Array.from({ length: size }, (_, place) => [...row, place])),
    [[]],
  );
}
