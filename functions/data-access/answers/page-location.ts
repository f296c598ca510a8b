import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Place } from '../queries/row-list.ts';

/** The number of rows in an interval, with the start of the interval. */
export interface StretchCount {
  readonly starts: Millis;
  readonly n: number;
}

/**
 * The intervals that contain a page of a list with the newest row first; undefined if the list ends before the page.
 * Only these are sorted, so the thousandth page costs as much as the first.
 */
export function pagePlace(
  counts: readonly StretchCount[],
  length: Millis,
  { skip, take }: { skip: number; take: number },
): Place | undefined {
  const newestFirst = [...counts].sort((a, b) => b.starts - a.starts);
  let before = 0;
  let place: Place | undefined;
  for (const { starts, n } of newestFirst) {
    if (before + n > skip && before < skip + take) {
      place = { from: starts, to: place?.to ?? starts + length, offset: place?.offset ?? skip - before };
    }
    before += n;
  }
  return place;
}
