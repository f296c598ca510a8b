import { html } from 'hono/html';
import type { Html } from './html.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const RELATIVE = new Intl.RelativeTimeFormat('en-GB', { numeric: 'always' });

/** "Tue 3 Mar 2026, 14:00 (Europe/Berlin)". */
function timeText(at: number, zone: string): string {
  const day = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: zone,
  });
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
  return `${day.format(at).replace(',', '')}, ${time.format(at)} (${zone})`;
}

/** "3 hours ago", "in 20 minutes"; under a minute "just now". */
export function ago(at: number, now: number): string {
  const unit = UNITS.find(([, length]) => Math.abs(at - now) >= length);
  return unit ? RELATIVE.format(Math.trunc((at - now) / unit[1]), unit[0]) : 'just now';
}

export function timeTag(at: number, zone: string): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${timeText(at, zone)}</time>`;
}

/** The moment, and how far it is from now: "Tue 3 Mar 2026, 14:00 (UTC), 3 hours ago". */
export function moment(at: number, zone: string, now: number): Html {
  return html`${timeTag(at, zone)}, <span class="ago">${ago(at, now)}</span>`;
}

const ISO_TIMES = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence with the ISO times in it put into `zone`: reasons are kept in UTC. */
export function withTimes(sentence: string, zone: string): Html {
  const parts = sentence.split(ISO_TIMES);
  return html`${parts.map((part) => (ISO_TIMES.test(part) ? timeTag(Date.parse(part), zone) : part))}`;
}
