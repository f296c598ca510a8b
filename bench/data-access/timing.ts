/** How long something took, in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** The value that this share of the others, from 0 to 1, is not above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new RangeError('there is no quantile of nothing');
  return found;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const round = (value: number): number => Math.round(value * 100) / 100;
