/** Forgetting factor per step: the weight of a step halves in about 700 steps. */
const FORGETTING = 0.999;

/** Prior precision of the coefficient, which starts at 0. */
const PRIOR = 0.1;

/** Lower bound, so that after a long time without deviations one deviation does not fix the coefficient for ever. */
const LEAST_ENERGY = 1e-6;

/** Upper bound of the expected carry-over, as a log: a factor of e^1.5. */
const MAXIMUM_CARRY = 1.5;

/** The share of a deviation that carries over to the next window: AR(1), fitted by recursive least squares. */
export class Autoregression {
  #coefficient = 0;
  #energy = PRIOR;

  get coefficient(): number {
    return this.#coefficient;
  }

  /** The expected log deviation after the log deviation `previous`. */
  carriedFrom(previous: number): number {
    return clip(this.#coefficient * previous, MAXIMUM_CARRY);
  }

  /** `innovation`: the log deviation from the value expected after `previous`, already limited by the caller. */
  learn(previous: number, innovation: number): void {
    this.#energy = Math.max(LEAST_ENERGY, FORGETTING * this.#energy + previous ** 2);
    this.#coefficient = clip(this.#coefficient + (previous * innovation) / this.#energy, 1);
  }
}

function clip(value: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, value));
}
