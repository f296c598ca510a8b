/** Days to the same date and to the same weekday of a month, a year ago; a moving feast is at none of them. */
const LAGS = [364, 365, 366, 371];

const DAYS = 372;

/** The deviation of a series from its expected value at each window of the last year: an implicit calendar. */
export class Anniversary {
  readonly #strayed: Float32Array;
  readonly #windowsADay: number;
  #steps = 0;

  constructor(windowsADay: number) {
    this.#strayed = new Float32Array(DAYS * windowsADay);
    this.#windowsADay = windowsADay;
  }

  /** Log deviations of the windows a year before the next one. */
  *deviations(): Generator<number> {
    for (const lag of LAGS) {
      const step = this.#steps - lag * this.#windowsADay;
      if (step >= 0) yield this.#strayed[step % this.#strayed.length] ?? 0;
    }
  }

  /** Adds a window; 0 if its deviation is unknown. */
  learn(deviation: number): void {
    this.#strayed[this.#steps % this.#strayed.length] = deviation;
    this.#steps++;
  }
}
