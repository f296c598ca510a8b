import type { Period } from './indexed-sheet.ts';
import type { Window } from './window.ts';

/** A number: the window's own figures, as they were so many readings ago. */
export type Asked = Period | number;

/** When a series' first window with figures ended, and the newest one of those that were read at first. */
export interface Birth {
  firstEndAt: number;
  /** Hardly ever asked for: few series are younger than their past. */
  lookedAtEndAt: () => number;
}

/**
 * Whether what is asked is from before the series had its first figures, and before it was looked at. An app, an event
 * or a segment that is younger than its rule's past has none there, and zeros would make it look calm.
 */
export function isUnborn(window: Window, asked: Asked, { firstEndAt, lookedAtEndAt }: Birth): boolean {
  const endAt = asked === 'previous' ? window.startAt : window.endAt;
  return endAt < firstEndAt && window.endAt < lookedAtEndAt();
}
