import { html } from 'hono/html';
import type { Html } from '../../../shared/pages/html.ts';
import { isOpenOrFlapping, type Listed } from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';
import type { Silence } from '../../../shared/silences/silence.ts';

/** The data of the tiles. `failing`: rules that cannot be evaluated. `due`: notifications that can be sent now. */
export interface Counted {
  watched: Listed[];
  failing: number;
  due: PendingMessage[];
  silences: Silence[];
}

/** Counts of alerts, rules, notifications and silences, each linked to its list. */
export function tiles({ watched, failing, due, silences }: Counted): Html {
  const wrong = watched.filter(isOpenOrFlapping);
  const unacknowledged = wrong.filter(({ alert }) => alert.acknowledged === null).length;
  const pending = watched.filter(({ alert }) => alert.state === 'pending').length;
  const isFailing = due.some(({ notification }) => notification.attempts > 0);
  const figures = [
    ['/alerts', wrong.length, 'open', wrong.length > 0 ? 'bad' : 'good'],
    ['/alerts?ack=no', unacknowledged, 'not acknowledged', unacknowledged > 0 ? 'warn' : 'good'],
    ['/alerts?state=pending', pending, 'pending', 'plain'],
    ['/health#rules', failing, 'cannot be evaluated', failing > 0 ? 'bad' : 'good'],
    [
      '/deliveries',
      due.length,
      due.length === 1 ? 'notification due' : 'notifications due',
      isFailing ? 'warn' : 'plain',
    ],
    ['/silences', silences.length, silences.length === 1 ? 'active silence' : 'active silences', 'plain'],
  ] as const;
  return html`<ul class="tiles">${figures.map(
    ([href, count, what, tone]) =>
      html`<li><a class="tile ${count === 0 ? 'none' : tone}" href="${href}"><strong>${count}</strong> <span>${what}</span></a></li>`,
  )}</ul>`;
}
