/** One window: its value, and its expected value at a level of 1. */
interface Weighed {
  value: number;
  share: number;
}

/** A window in order of time; without figures it is unknown. */
export interface Passed {
  window: Weighed | undefined;
  teaches: boolean;
}

/** Totals of the last windows. */
export class SlidingTotal {
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
