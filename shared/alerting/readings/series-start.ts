import type { Window } from '../time/window.ts';
import type { Period } from './indexed-snapshot.ts';

/** A number: the window's own figures, as they were so many readings ago. */
export type Asked = Period | number;

/**
 * From when on the windows of a series are known, in milliseconds since 1970. The first window with figures may be a
 * partial one, so it is known from its end on. `-Infinity` where figures reach back further than what was read.
 */
export interface SeriesStart {
  sinceAt: number;
}

/**
 * Whether what is asked is from before the series began. An app, an event or a segment has no figures there, and zeros in
 * their place would make its past look calm and its start look like a rise.
 */
export function isBeforeStart(window: Window, asked: Asked, { sinceAt }: SeriesStart): boolean {
  const endAt = asked === 'previous' ? window.startAt : window.endAt;
  return endAt <= sinceAt;
}
