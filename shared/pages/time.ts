import { html } from 'hono/html';
import type { Grant } from '../alerts/roles.ts';
import { momentText } from '../messages/time-text.ts';
import { lazy } from '../units/lazy.ts';
import type { Html } from './html.ts';

/** The visitor, and the current time in epoch milliseconds. */
export interface Viewer {
  now: number;
  /** The verified name, or else the last entered one, as the initial value of forms. */
  name: string;
  /** Whether the name is verified. Forms then do not ask for it. */
  isKnown: boolean;
  /** Whether there is a page that explores figures. */
  explores?: boolean;
  grants: Grant[];
}

/** The zone of times that belong to no rule: that of all rules, otherwise UTC. */
export function sharedZone(rules: Iterable<{ zone: string }>): string {
  const [zone = 'UTC', ...others] = new Set([...rules].map((rule) => rule.zone));
  return others.length === 0 ? zone : 'UTC';
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const RELATIVE = lazy(() => new Intl.RelativeTimeFormat('en-GB', { numeric: 'always' }));

/** "3 hours ago", "in 20 minutes"; under a minute "just now", or "in a moment". */
export function ago(at: number, now: number): string {
  const unit = UNITS.find(([, length]) => Math.abs(at - now) >= length);
  if (unit) return RELATIVE().format(Math.trunc((at - now) / unit[1]), unit[0]);
  return at > now ? 'in a moment' : 'just now';
}

/** "Tue 3 Mar 2026, 14:00 (UTC)". */
export function timeTag(at: number, zone = 'UTC'): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${momentText(at, zone)}</time>`;
}

/** "Tue 3 Mar 2026, 14:00 (UTC), 3 hours ago". */
export function seenAt(at: number, { now }: Viewer, zone = 'UTC'): Html {
  return html`${timeTag(at, zone)}, <span class="ago">${ago(at, now)}</span>`;
}
