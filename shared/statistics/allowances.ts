import { Anniversary } from './anniversary.ts';
import { type Expectation, logRatio, shifted, zOf } from './expectation.ts';
import { type Occasion, Occasions } from './occasions.ts';

/** A window with a larger deviation from the season, in standard deviations, is remembered for a year. */
const UNUSUAL = 3;

/** What the season expects of a window, its length in normal windows, and the level of the series. */
interface Season {
  seasonal: Expectation;
  length: number;
  level: number;
}

interface Window {
  slot: number;
  occasion?: Occasion | undefined;
  /** `null` if unknown. */
  value: number | null;
}

/** The expected values that are allowed beside that of the season: those of a year ago, and of holidays. */
export class Allowances {
  readonly #anniversary: Anniversary;
  readonly #occasions: Occasions;
  readonly #windowsADay: number;

  constructor(windowsADay: number) {
    this.#anniversary = new Anniversary(windowsADay);
    this.#occasions = new Occasions(windowsADay);
    this.#windowsADay = windowsADay;
  }

  around({ slot, occasion }: Window, season: Season): { low: number; high: number } {
    const { expected, grain } = season.seasonal;
    const aYearAgo = this.#anniversary
      .ratios()
      .map((ratio) => shifted(season.level, ratio, grain) * season.length);
    const allowed = [expected, ...aYearAgo];
    if (occasion) {
      const key = this.#keyOf(occasion, slot);
      const { fall, rise } = this.#occasions.allowed(key, occasion, ratioToLevel(expected, season));
      allowed.push(shifted(expected, -fall, grain), shifted(expected, rise, grain));
    }
    return { low: Math.min(...allowed), high: Math.max(...allowed) };
  }

  /** `season`: `undefined` if nothing was expected. */
  learn({ slot, occasion, value }: Window, isOpen: boolean, season: Season | undefined): void {
    if (!season || value === null) {
      this.#anniversary.learn(undefined);
      return;
    }
    const { seasonal } = season;
    if (occasion && !isOpen) {
      const ratio = logRatio(value, seasonal.expected, seasonal.grain);
      const key = this.#keyOf(occasion, slot);
      this.#occasions.learn(key, occasion, ratio, ratioToLevel(seasonal.expected, season));
    }
    const isUnusual = Math.abs(zOf(value, seasonal)) >= UNUSUAL;
    this.#anniversary.learn(isUnusual ? ratioToLevel(value, season) : undefined);
  }

  #keyOf({ name }: Occasion, slot: number): string {
    return `${name} ${slot % this.#windowsADay}`;
  }
}

function ratioToLevel(value: number, { seasonal, length, level }: Season): number {
  return logRatio(value / length, level, seasonal.grain);
}
