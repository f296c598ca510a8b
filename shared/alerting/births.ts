import type { Birth } from './birth.ts';
import type { Coverage } from './coverage.ts';
import { type IndexedSheet, isAlive } from './indexed-sheet.ts';
import type { SeriesKey } from './reading.ts';
import type { Sheets } from './shelf.ts';

/** How long the first run about a series may have gone on reading: a run that takes longer is ended. */
const FIRST_RUN_MS = 5 * 60_000;

/** When each series of some sheets was born; as the sheets are when it is first asked. */
export class Births {
  readonly #sheets: Sheets;
  /** By what was asked of each. */
  readonly #known = new Map<string, Birth>();
  /** The newest window that the first run about these looked at. */
  readonly #lookedAt = new Map<Coverage, number>();

  constructor(sheets: Sheets) {
    this.#sheets = sheets;
  }

  /** `row`: the key of the series' rows. */
  of(series: SeriesKey, row: string, coverage: Coverage): Birth {
    const asked = `${row} ${series.outside !== undefined} ${coverage.keys}`;
    const birth = this.#known.get(asked) ?? this.#birthOf(series, coverage);
    this.#known.set(asked, birth);
    return birth;
  }

  #birthOf(series: SeriesKey, coverage: Coverage): Birth {
    const lookedAtEndAt = () => this.#lookedAtOf(coverage);
    for (const sheets of this.#sheets.inOrder()) {
      const alive = coverage.among(sheets).flatMap((sheet) => [
        ...(isAlive(sheet, series, coverage.keys, 'current') ? [sheet.endAt] : []),
        // A compared answer tells of the window before its own, which ends where its own begins.
        ...(isAlive(sheet, series, coverage.keys, 'previous') ? [sheet.startAt] : []),
      ]);
      if (alive.length > 0) return { firstEndAt: Math.min(...alive), lookedAtEndAt };
    }
    return { firstEndAt: -Infinity, lookedAtEndAt };
  }

  #lookedAtOf(coverage: Coverage): number {
    const lookedAt = this.#lookedAt.get(coverage) ?? this.#lookedAtBy(coverage);
    this.#lookedAt.set(coverage, lookedAt);
    return lookedAt;
  }

  /** What the first run about an event read is its past, up to the newest window, which it looked at. */
  #lookedAtBy(coverage: Coverage): number {
    const inOrder = this.#sheets.inOrder();
    let firstReadAt = Infinity;
    for (const sheets of inOrder)
      for (const sheet of sheets)
        if (sheet.readAt < firstReadAt && coverage.has(sheet)) firstReadAt = sheet.readAt;
    const isOfFirstRun = (sheet: IndexedSheet) =>
      sheet.readAt < firstReadAt + FIRST_RUN_MS && coverage.has(sheet);
    return inOrder.findLast((sheets) => sheets.some(isOfFirstRun))?.[0]?.endAt ?? -Infinity;
  }
}
