/** Returns the next uniform random number in [0, 1). */
export type Draw = () => number;

/** Random numbers that depend only on `seed` and `path`, so that any part of the demo can be generated alone. SFC32. */
export function drawsFor(seed: number, ...path: readonly (string | number)[]): Draw {
  let [a, b, c, d] = hash128(`${seed}/${path.join('/')}`);
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warmUp = 0; warmUp < 12; warmUp++) next();
  return next;
}

/** cyrb128: four independent multiplicative hashes, mixed at the end. */
function hash128(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a];
}

export function chance(draw: Draw, probability: number): boolean {
  return draw() < probability;
}

/** A uniform number in [low, high). */
export function between(draw: Draw, low: number, high: number): number {
  return low + draw() * (high - low);
}

/** An integer from `low` to `high`, inclusive. */
export function wholeBetween(draw: Draw, low: number, high: number): number {
  return low + Math.floor(draw() * (high - low + 1));
}

export function oneOf<T>(draw: Draw, items: readonly [T, ...T[]]): T {
  return items[Math.floor(draw() * items.length)] ?? items[0];
}

/** One of the items, with a probability proportional to its weight. */
export function weighted<T>(draw: Draw, items: readonly [Weighted<T>, ...Weighted<T>[]]): T {
  let left = draw() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return items[0][0];
}
export type Weighted<T> = readonly [item: T, weight: number];

function normal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

/** `sigma` is the standard deviation of the logarithm. */
export function logNormal(draw: Draw, median: number, sigma: number): number {
  return median * Math.exp(sigma * normal(draw));
}

/** A gamma variate of mean 1 and standard deviation `sd`, after Marsaglia and Tsang; `sd` at most 1. */
export function gammaAroundOne(draw: Draw, sd: number): number {
  const d = 1 / (sd * sd) - 1 / 3;
  for (;;) {
    const x = normal(draw);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - draw()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v * sd * sd;
  }
}

/** Multiplies uniforms up to a mean of 50. Above that it rounds a normal variate. */
export function poisson(draw: Draw, mean: number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(draw)));
  const floor = Math.exp(-mean);
  let count = 0;
  for (let product = draw(); product > floor; product *= draw()) count++;
  return count;
}
