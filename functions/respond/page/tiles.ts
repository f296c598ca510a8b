import { html } from 'hono/html';
import type { Silence } from '../../../shared/alerting/notifications/silences.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { isWrong, type Listed } from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';

/** What is counted: `ailing` rules that cannot be checked, and messages that are due. */
export interface Counted {
  watched: Listed[];
  failing: number;
  due: PendingMessage[];
  silences: Silence[];
}

/** The state of the whole in a few figures, each a way to what it counts. */
export function tiles({ watched, failing, due, silences }: Counted): Html {
  const wrong = watched.filter(isWrong);
  const free = wrong.filter(({ alert }) => alert.acknowledged === null).length;
  const pending = watched.filter(({ alert }) => alert.state === 'pending').length;
  const isFailing = due.some(({ notification }) => notification.attempts > 0);
  const figures = [
    ['/alerts', wrong.length, 'open', wrong.length > 0 ? 'bad' : 'good'],
    ['/alerts?who=nobody', free, 'that nobody has', free > 0 ? 'warn' : 'good'],
    ['/alerts?state=pending', pending, 'may begin to fire', 'plain'],
    ['/health#rules', failing, 'cannot be checked', failing > 0 ? 'bad' : 'good'],
    ['/deliveries', due.length, 'still to be sent', isFailing ? 'warn' : 'plain'],
    ['/silences', silences.length, silences.length === 1 ? 'silence holds' : 'silences hold', 'plain'],
  ] as const;
  return html`<ul class="tiles">${figures.map(
    ([href, count, what, tone]) =>
      html`<li><a class="tile ${count === 0 ? 'none' : tone}" href="${href}"><strong>${count}</strong> <span>${what}</span></a></li>`,
  )}</ul>`;
}
