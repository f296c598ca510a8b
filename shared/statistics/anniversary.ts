/** Days back to the same date and to the same weekday a year ago. Holidays that move by more are not covered. */
const LAGS = [364, 365, 366, 371];

const DAYS = 372;

/**
 * The unusual windows of a series in the last year, relative to its level at the time. With them, a yearly event needs no
 * calendar, also if it falls on another day of the week.
 */
export class Anniversary {
  readonly #ratios: Float32Array;
  readonly #windowsADay: number;
  #steps = 0;

  constructor(windowsADay: number) {
    this.#ratios = new Float32Array(DAYS * windowsADay);
    this.#windowsADay = windowsADay;
  }

  /** Log ratios to the level of the unusual windows a year before the next window. */
  ratios(): number[] {
    const ratios: number[] = [];
    for (const lag of LAGS) {
      const step = this.#steps - lag * this.#windowsADay;
      const ratio = step < 0 ? Number.NaN : (this.#ratios[step % this.#ratios.length] ?? Number.NaN);
      if (!Number.isNaN(ratio)) ratios.push(ratio);
    }
    return ratios;
  }

  /** Adds a window: the log ratio to the level if it is unusual, or `undefined`. */
  learn(ratio: number | undefined): void {
    this.#ratios[this.#steps % this.#ratios.length] = ratio ?? Number.NaN;
    this.#steps++;
  }
}
