/** The weight of the past fades by half in some 350 steps. */
const FORGETTING = 0.998;

/** Learned from nothing yet, the coefficient is worth this little: the inverse of its prior variance. */
const PRIOR = 0.1;

/** A series that never strays must not make the next stray a lesson for ever. */
const LEAST_ENERGY = 1e-6;

/** More than a factor of e^1.5 from what is usual is not expected to carry over. */
const MAXIMUM_CARRY = 1.5;

/** How much of a deviation carries over to the next window: an AR(1) coefficient by recursive least squares. */
export class Autoregression {
  #coefficient = 0;
  #energy = PRIOR;

  /** What is to be expected after `previous`. */
  carriedFrom(previous: number): number {
    return clip(this.#coefficient * previous, MAXIMUM_CARRY);
  }

  /** `innovation`: how much more came than was carried over from `previous`, cut to what may teach by the caller. */
  learn(previous: number, innovation: number): void {
    this.#energy = Math.max(LEAST_ENERGY, FORGETTING * this.#energy + previous ** 2);
    this.#coefficient = clip(this.#coefficient + (previous * innovation) / this.#energy, 1);
  }
}

function clip(value: number, bound: number): number {
  return Math.max(-bound, Math.min(bound, value));
}
