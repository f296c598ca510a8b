import { type BySide, chanceVariance, type Expectation, rangeWithin, zOf } from './expectation.ts';
import { RunningQuantile } from './running-quantile.ts';
import { SeasonalLimit, sigmaLimit } from './seasonal-limit.ts';
import { QUANTILE, QUANTILE_IN_SIGMA } from './seasonal-spread.ts';

/** A sum over the last `windows` windows, and its limits. */
export interface SumShape {
  windows: number;
  /** Windows in the level before them. */
  level: number;
  /** Limits in standard deviations, of a calm and of a wild series; Infinity: the side is not evaluated. */
  fall: [calm: number, wild: number];
  rise: [calm: number, wild: number];
  /** Maximum factor of the variance because deviations of neighbouring windows resemble each other. */
  inflation: number;
}

/** A sum over several windows and what was expected of it; `z` is negative for a fall. */
export interface SumDeviation {
  windows: number;
  value: number;
  expected: number;
  /** Values from `low` to `high` are within the limits; `high` is `null` if rises are not evaluated. */
  low: number;
  high: number | null;
  z: number;
  /** The limit of `|z|`. */
  limit: number;
}

/** One window: its value, and its expected value at a level of 1. */
export interface Weighed {
  value: number;
  share: number;
}

/** Of sums that overlap, the deviation of every nth is remembered: this many of each span. */
const REMEMBERED = 6;

/** Minimum deviations of past sums before their own spread counts. Sums overlap, so they are few. */
const MINIMUM_A_SIDE = 20;

/** Minimum spread of a sum. */
const LEAST_SPREAD = 0.03;

/** Minimum share of the level's windows, and of the sum's, that are known. */
const KNOWN_LEVEL = 1 / 2;
const KNOWN_SUM = 2 / 3;

/**
 * The sum of the last windows against the level that ended before them. A fall that lasts shows in a sum before it shows
 * in any window, and a slow one cannot become the level first.
 */
export class SeasonalSum {
  readonly #shape: SumShape;
  /** Sums of means are given as means. */
  readonly #isMean: boolean;
  readonly #recent: SlidingTotal;
  readonly #before: SlidingTotal;
  readonly #falls: RunningQuantile;
  readonly #rises: RunningQuantile;
  readonly #limit: SeasonalLimit;
  readonly #stride: number;
  #steps = 0;
  #isOpen = false;

  constructor(
    shape: SumShape,
    { memory, windowsADay, measure }: { memory: number; windowsADay: number; measure: 'count' | 'mean' },
  ) {
    this.#shape = shape;
    this.#isMean = measure === 'mean';
    this.#recent = new SlidingTotal(shape.windows - 1);
    this.#before = new SlidingTotal(shape.level);
    this.#stride = Math.max(1, Math.floor(shape.windows / REMEMBERED));
    this.#falls = new RunningQuantile(memory / this.#stride, QUANTILE);
    this.#rises = new RunningQuantile(memory / this.#stride, QUANTILE);
    this.#limit = new SeasonalLimit(
      { days: memory / windowsADay, windowsADay },
      { fall: sigmaLimit(...shape.fall), rise: sigmaLimit(...shape.rise) },
    );
  }

  /**
   * What is expected of the sum that ends with a window of this share; `undefined` if too little is known. `variance`:
   * of one window, beyond chance; `carry`: the correlation of neighbouring windows.
   */
  expect(share: number, variance: BySide, grain: number, carry: number): Expectation | undefined {
    const { windows, level, inflation } = this.#shape;
    const [recent, before] = [this.#recent, this.#before];
    if (before.known < KNOWN_LEVEL * level || before.share <= 0) return undefined;
    if (recent.known + 1 < KNOWN_SUM * windows) return undefined;
    const shares = recent.share + share;
    if (shares <= 0) return undefined;
    const factor = Math.min(inflation, (1 + carry) / (1 - carry));
    // The parts of the variance of one window that are left in the mean of many, for the sum and for the level.
    const left =
      Math.min(1, (factor * (recent.squares + share ** 2)) / shares ** 2) +
      Math.min(1, (factor * before.squares) / before.share ** 2);
    const expected = Math.max(0, (before.value / before.share) * shares);
    const chance = chanceVariance(expected, grain);
    const ofLevel = chanceVariance(Math.max(0, before.value), grain);
    const spread = (ofWindow: number, past: RunningQuantile) =>
      Math.max(LEAST_SPREAD ** 2, ofWindow * left + ofLevel, this.#ownVariance(past, chance));
    return {
      ...{ expected, grain, falls: 'logs' },
      variance: { fall: spread(variance.fall, this.#falls), rise: spread(variance.rise, this.#rises) },
    };
  }

  /** `undefined` on a side that is not evaluated. */
  deviationOf(value: number, expectation: Expectation): SumDeviation | undefined {
    const sum = Math.max(0, this.#recent.value + value);
    const z = zOf(sum, expectation);
    const limits = { fall: this.#limit.limitFor(-1), rise: this.#limit.limitFor(1) };
    const limit = z < 0 ? limits.fall : limits.rise;
    if (limit === Infinity) return undefined;
    const { low, high } = rangeWithin(limits, expectation);
    const { expected } = expectation;
    const of = (total: number) => (this.#isMean ? total / (this.#recent.known + 1) : total);
    return {
      ...{ windows: this.#shape.windows, value: of(sum), expected: of(expected), low: of(low), z, limit },
      high: Number.isFinite(high) ? of(high) : null,
    };
  }

  /** Whether the same relative change in all windows of the sum would reach a limit. */
  canDetect(ratio: number, expectation: Expectation): boolean {
    const z = zOf(expectation.expected * ratio, expectation);
    return Math.abs(z) >= this.#limit.limitFor(z);
  }

  /**
   * Adds a window; `undefined`: unknown. A window that does not teach (of an incident) never becomes part of the level.
   * After an incident the sum starts anew, so that it does not fire again on what is over.
   */
  learn(window: Weighed | undefined, expectation: Expectation | undefined, teaches: boolean): void {
    const seen = window && expectation && teaches ? expectation : undefined;
    const sum = Math.max(0, this.#recent.value + (window?.value ?? 0));
    if (seen && this.#steps++ % this.#stride === 0) {
      const { grain, expected } = seen;
      const deviation = Math.log((sum + grain) / (expected + grain));
      (deviation < 0 ? this.#falls : this.#rises).push(Math.abs(deviation));
    }
    this.#limit.learn(seen && zOf(sum, seen));
    if (teaches && this.#isOpen) this.#recent.forget();
    this.#isOpen = !teaches && (this.#isOpen || window !== undefined);
    const passed = this.#recent.push({ window, teaches });
    if (passed?.window && passed.teaches) this.#before.push(passed);
  }

  #ownVariance(past: RunningQuantile, chance: number): number {
    return past.size < MINIMUM_A_SIDE ? 0 : (past.value / QUANTILE_IN_SIGMA) ** 2 - chance;
  }
}

/** The deviation as a multiple of its limit. */
export function ratioOf({ z, limit }: SumDeviation): number {
  return Math.abs(z) / limit;
}

interface Passed {
  window: Weighed | undefined;
  teaches: boolean;
}

/** Totals of the last windows. */
class SlidingTotal {
  readonly #kept: Passed[] = [];
  readonly #most: number;
  #next = 0;
  value = 0;
  share = 0;
  /** Of squared shares. */
  squares = 0;
  known = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the window that leaves. */
  push(passed: Passed): Passed | undefined {
    const left = this.#kept[this.#next];
    this.#kept[this.#next] = passed;
    this.#next = (this.#next + 1) % this.#most;
    if (this.#next === 0) this.#recompute();
    else {
      this.#add(passed, 1);
      this.#add(left, -1);
    }
    return left;
  }

  forget(): void {
    this.#kept.fill({ window: undefined, teaches: false });
    this.#recompute();
  }

  /** Now and then, so that rounding errors do not add up. */
  #recompute(): void {
    [this.value, this.share, this.squares, this.known] = [0, 0, 0, 0];
    for (const each of this.#kept) this.#add(each, 1);
  }

  #add(passed: Passed | undefined, sign: 1 | -1): void {
    if (!passed?.window) return;
    const { value, share } = passed.window;
    this.value += sign * value;
    this.share += sign * share;
    this.squares += sign * share ** 2;
    this.known += sign;
  }
}
