import { html } from 'hono/html';
import { inWindowText, momentText } from '../alerting/messages/figure-text.ts';
import type { Window } from '../alerting/time/window.ts';
import type { Html } from './html.ts';

/** Who looks, and when. */
export interface Viewer {
  now: number;
  /** The time zone that all times are put in; `undefined` for each rule's own. */
  zone: string | undefined;
  /** The name that was proved or, where none was, the one that was given last, to be offered again. */
  name: string;
  /** Whether it was proved: then nobody need give it. */
  isKnown: boolean;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const RELATIVE = new Intl.RelativeTimeFormat('en-GB', { numeric: 'always' });

/** "3 hours ago", "in 20 minutes"; under a minute "just now", or "in a moment". */
export function ago(at: number, now: number): string {
  const unit = UNITS.find(([, length]) => Math.abs(at - now) >= length);
  if (unit) return RELATIVE.format(Math.trunc((at - now) / unit[1]), unit[0]);
  return at > now ? 'in a moment' : 'just now';
}

export function timeTag(at: number, zone: string): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${momentText(at, zone)}</time>`;
}

/** The moment, and how far it is from now: "Tue 3 Mar 2026, 14:00 (UTC), 3 hours ago". */
function moment(at: number, zone: string, now: number): Html {
  return html`${timeTag(at, zone)}, <span class="ago">${ago(at, now)}</span>`;
}

/** The moment in the zone that the viewer chose, or else in `own`. */
export function seenAt(at: number, viewer: Viewer, own = 'UTC'): Html {
  return moment(at, viewer.zone ?? own, viewer.now);
}

/** The moment alone, in the zone that the viewer chose, or else in `own`. */
export function timeFor(at: number, viewer: Viewer, own = 'UTC'): Html {
  return timeTag(at, viewer.zone ?? own);
}

/**
 * "on Tue 3 Mar 2026 (UTC)": a window as it was cut, for in another zone a day would be two halves of days. An hour is
 * put in the viewer's zone.
 */
export function inWindowFor(
  window: Window,
  { window: grain, zone }: { window: 'hour' | 'day' | 'week' | 'month'; zone: string },
  viewer: Viewer,
): string {
  return inWindowText(window, { grain, zone: (grain === 'hour' && viewer.zone) || zone });
}
