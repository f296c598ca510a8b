import type { Window } from '../time/window.ts';
import type { Period } from './indexed-snapshot.ts';

/** A number: the figures of the window that many readings ago. */
export type Asked = Period | number;

/**
 * When the known windows of a series start, in epoch milliseconds. The first window with figures may be partial, so this
 * is its end. `-Infinity` if the oldest snapshot has figures.
 */
export interface SeriesStart {
  sinceAt: number;
}

/**
 * Whether the requested figures are from before the start of the series. An app, an event or a segment has none there,
 * and zeros would make its start look like a rise.
 */
export function isBeforeStart(window: Window, asked: Asked, { sinceAt }: SeriesStart): boolean {
  const endAt = asked === 'previous' ? window.startAt : window.endAt;
  return endAt <= sinceAt;
}
