/** Days back to the same date and to the same weekday a year ago. Holidays that move by more are not covered. */
const LAGS = [364, 365, 366, 371];

const DAYS = 372;

/** The deviations of a series from its expected value in the last year. They replace a calendar of yearly events. */
export class Anniversary {
  readonly #deviations: Float32Array;
  readonly #windowsADay: number;
  #steps = 0;

  constructor(windowsADay: number) {
    this.#deviations = new Float32Array(DAYS * windowsADay);
    this.#windowsADay = windowsADay;
  }

  /** Log deviations of the windows a year before the next window. */
  *deviations(): Generator<number> {
    for (const lag of LAGS) {
      const step = this.#steps - lag * this.#windowsADay;
      if (step >= 0) yield this.#deviations[step % this.#deviations.length] ?? 0;
    }
  }

  /** Adds a window; 0 if its deviation is unknown. */
  learn(deviation: number): void {
    this.#deviations[this.#steps % this.#deviations.length] = deviation;
    this.#steps++;
  }
}
