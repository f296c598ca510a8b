/** Probability outside the interval, on each side. */
const TAIL = 0.025;

/**
 * The 95% confidence interval of the monthly rate for `count` events in so many months: the exact Poisson
 * interval.
 */
export function rateInterval(count: number, months: number): { low: number; high: number } {
  const low = count === 0 ? 0 : meanAt((mean) => 1 - atMost(count - 1, mean) < TAIL);
  const high = meanAt((mean) => atMost(count, mean) > TAIL);
  return { low: low / months, high: high / months };

  /** The largest mean for which `isBelow` holds. */
  function meanAt(isBelow: (mean: number) => boolean): number {
    let [from, to] = [0, 10 + count * 4];
    for (let i = 0; i < 50; i++) {
      const middle = (from + to) / 2;
      if (isBelow(middle)) from = middle;
      else to = middle;
    }
    return from;
  }
}

/** Probability of at most so many events, where `mean` are expected. */
function atMost(count: number, mean: number): number {
  let term = Math.exp(-mean);
  let sum = term;
  for (let i = 1; i <= count; i++) {
    term *= mean / i;
    sum += term;
  }
  return sum;
}
