import { chanceVariance, type Expectation, logRatio, rangeWithin, zOf } from './expectation.ts';
import { RunningQuantile } from './running-quantile.ts';
import { type LimitSpan, SeasonalLimit, sigmaLimit } from './seasonal-limit.ts';
import { QUANTILE, QUANTILE_IN_SIGMA } from './seasonal-spread.ts';
import { type Passed, SlidingTotal } from './sliding-total.ts';

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
  /** Part of the variance of windows that counts. Wrong expectations of slots widen windows, but cancel out over a week. */
  part: number;
  /** Whether the spread of past sums counts too. Few past sums do not tell it. */
  hasOwnSpread: boolean;
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

/** The span of limits, and what the series measures. */
interface SumOptions {
  memory: number;
  span: LimitSpan;
  measure: 'count' | 'mean';
}

/** Of sums that overlap, the deviation of every nth is remembered: this many of each span. */
const REMEMBERED = 6;

/** Minimum deviations of past sums before their own spread counts. Sums overlap, so they are few. */
const MINIMUM_A_SIDE = 20;

/** Minimum spread of a sum. */
const LEAST_SPREAD = 0.03;

/** A value this many standard deviations from the level of an incident, towards the season, is no longer of it. */
export const APART = 2.5;

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
  /** What is expected of the sum that ends with the next window; `undefined` if too little is known. */
  #next: Expectation | undefined;

  constructor(shape: SumShape, { memory, span, measure }: SumOptions) {
    this.#shape = shape;
    this.#isMean = measure === 'mean';
    this.#recent = new SlidingTotal(shape.windows - 1);
    this.#before = new SlidingTotal(shape.level);
    this.#stride = Math.max(1, Math.floor(shape.windows / REMEMBERED));
    this.#falls = new RunningQuantile(memory / this.#stride, QUANTILE);
    this.#rises = new RunningQuantile(memory / this.#stride, QUANTILE);
    const limits = { fall: sigmaLimit(...shape.fall), rise: sigmaLimit(...shape.rise) };
    this.#limit = new SeasonalLimit(span, limits);
  }

  /** Expects a window of this share. Its `variance` is beyond chance; `carry`: the correlation of neighbouring windows. */
  expect(share: number, window: Pick<Expectation, 'variance' | 'grain'>, carry: number): void {
    this.#next = this.#expected(share, window, carry);
  }

  #expected(
    share: number,
    { variance, grain }: Pick<Expectation, 'variance' | 'grain'>,
    carry: number,
  ): Expectation | undefined {
    const { windows, level, inflation, part } = this.#shape;
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
      Math.max(LEAST_SPREAD ** 2, ofWindow * part * left + ofLevel, this.#ownVariance(past, chance));
    return {
      ...{ expected, grain, falls: 'logs' },
      variance: { fall: spread(variance.fall, this.#falls), rise: spread(variance.rise, this.#rises) },
    };
  }

  /** Of the sum that ends with a window of this value. `undefined` if it is unknown, and on a side that is not evaluated. */
  deviationOf(value: number): SumDeviation | undefined {
    const expectation = this.#next;
    if (!expectation) return undefined;
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
  canDetect(ratio: number): boolean {
    if (!this.#next) return false;
    const z = zOf(this.#next.expected * ratio, this.#next);
    return Math.abs(z) >= this.#limit.limitFor(z);
  }

  /**
   * Whether the sum that ends with a window of this value is of the last `usual` windows only, would have reached a limit
   * with that relative change, and is apart from it.
   */
  showsEnd(value: number, ratio: number, usual: number): boolean {
    if (!this.#next || usual < this.#shape.windows || !this.canDetect(ratio)) return false;
    const changed = { ...this.#next, expected: this.#next.expected * ratio };
    const apart = zOf(Math.max(0, this.#recent.value + value), changed);
    return (ratio < 1 ? apart : -apart) >= APART;
  }

  /**
   * Adds a window. One that does not teach never becomes part of the level. Forgets the windows of an incident when it
   * ends, so that they cannot fire again.
   */
  learn(next: Passed, isOpen: boolean): void {
    const { window, teaches } = next;
    const seen = window && teaches ? this.#next : undefined;
    this.#next = undefined;
    const sum = Math.max(0, this.#recent.value + (window?.value ?? 0));
    if (seen && this.#steps++ % this.#stride === 0) {
      const deviation = logRatio(sum, seen.expected, seen.grain);
      (deviation < 0 ? this.#falls : this.#rises).push(Math.abs(deviation));
    }
    this.#limit.learn(seen && zOf(sum, seen));
    if (window) {
      if (this.#isOpen && !isOpen) this.#recent.forget();
      this.#isOpen = isOpen;
    }
    const passed = this.#recent.push(next);
    if (passed?.window && passed.teaches) this.#before.push(passed);
  }

  #ownVariance(past: RunningQuantile, chance: number): number {
    if (!this.#shape.hasOwnSpread) return 0;
    return past.size < MINIMUM_A_SIDE ? 0 : (past.value / QUANTILE_IN_SIGMA) ** 2 - chance;
  }
}

/** The deviation as a multiple of its limit. */
export function ratioOf({ z, limit }: SumDeviation): number {
  return Math.abs(z) / limit;
}
