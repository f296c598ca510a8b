import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Place } from '../queries/row-list.ts';

/** How many rows a stretch of time holds, told by when it starts. */
export interface StretchCount {
  readonly starts: Millis;
  readonly n: number;
}

/**
 * The stretches in which a page of a list lies that begins with the newest row; undefined where the list ends before
 * the page. Only these have to be put in order, so the thousandth page costs what the first does.
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
