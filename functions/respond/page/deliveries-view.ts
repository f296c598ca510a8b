import { html } from 'hono/html';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import type { Delivery } from '../../../shared/notifications/delivery-log.ts';
import { alertOfNotificationKey } from '../../../shared/notifications/notification-key.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, seenAt, sharedZone, type Viewer } from '../../../shared/pages/time.ts';
import type { Deployed } from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';
import { badge, subject } from './alert-parts.ts';
import { listingOf } from './filters.ts';

/** The number of deliveries that are loaded. */
export const DELIVERIES = 500;

/** Rows of the table of pending notifications. */
const ROWS = 25;

type Rules = Deployed['byId'];

/** Pending notifications, and past deliveries with their outcome. */
export function deliveriesView(
  { pending, deliveries, byId }: { pending: PendingMessage[]; deliveries: Delivery[]; byId: Rules },
  query: Record<string, string>,
  viewer: Viewer,
): View {
  const { rows, around } = listingOf(deliveries, query, {
    ...{ path: '/deliveries', filters: [] },
    none: 'No deliveries in the last 30 days.',
  });
  const body = html`<h1>Deliveries</h1>
<p class="lead">A notification is pending until its channel accepts it. Failed deliveries are retried. No notification is dropped.</p>
<section><h2>Pending notifications</h2>
${pending.length === 0 ? html`<p class="empty">None. All notifications have been sent.</p>` : pendingTable(pending.slice(0, ROWS), viewer)}
${pending.length > ROWS && html`<p class="quiet">${pending.length - ROWS} more, due later</p>`}</section>
<section><h2>Recent deliveries</h2>
${around(deliveryTable(rows, byId, viewer))}</section>`;
  return { title: 'Deliveries', body };
}

function pendingTable(pending: PendingMessage[], viewer: Viewer): Html {
  const rows = pending.map((each) => {
    const { alert, notification, rule } = each;
    const { transition, channel, attempts } = notification;
    return [subject(alert, rule), badge(transition), channel, attempts, nextAttempt(each, viewer)];
  });
  const headings = ['Alert', 'Transition', 'Channel', 'Failed attempts', 'Next attempt'];
  return table('Pending notifications', headings, rows);
}

function nextAttempt({ notification, rule, waits }: PendingMessage, viewer: Viewer): Cell {
  const next = seenAt(notification.dueAt, viewer, rule?.zone);
  if (waits === 'held') return 'on hold: a silence, a snooze or a calendar';
  if (waits === 'later') return html`${next}, if not acknowledged by then`;
  return notification.dueAt > viewer.now ? next : `due ${ago(notification.dueAt, viewer.now)}`;
}

function deliveryTable(deliveries: Delivery[], byId: Rules, viewer: Viewer): Html {
  const zone = sharedZone(byId.values());
  const rows = deliveries.map((delivery) => [
    html`${titleOf(delivery, byId)}${delivery.alerts > 1 && html` <span class="quiet">(${delivery.alerts} alerts)</span>`}`,
    outcomeOf(delivery),
    html`${delivery.channel} <span class="quiet">route ${delivery.route}</span>`,
    seenAt(delivery.at, viewer, zone),
  ]);
  return table('Deliveries, newest first', ['Message', 'Outcome', 'Channel', 'When'], rows);
}

/** The title of the message, linked to the rule of its alerts if it is one that is deployed. */
function titleOf({ title, keys }: Delivery, byId: Rules): Html {
  const name = html`<bdi>${title}</bdi>`;
  const [ruleId, ...others] = new Set(keys.map((key) => alertOfNotificationKey(key)?.ruleId));
  if (ruleId === undefined || others.length > 0 || !byId.has(ruleId)) return name;
  return html`<a href="${rulePath(ruleId)}">${name}</a>`;
}

function outcomeOf({ outcome }: Delivery): Html {
  if (outcome.kind === 'sent') return badge('sent');
  if (outcome.kind === 'kept') return html`${badge('kept locally')} ${outcome.reason}`;
  const next = outcome.permanent ? 'not retried until the configuration changes' : 'will be retried';
  return html`${badge('failed')} ${outcome.reason} <span class="quiet">(${next})</span>`;
}
