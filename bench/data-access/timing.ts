/** The duration of `run` in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** The quantile of the values at `share`, from 0 to 1, by the nearest-rank method. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new RangeError('a quantile needs at least one value');
  return found;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const round = (value: number): number => Math.round(value * 100) / 100;
