import { html } from 'hono/html';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { alertPath, rulePath } from '../../../shared/messages/page-paths.ts';
import type { Delivery } from '../../../shared/notifications/delivery-log.ts';
import { alertOfNotificationKey } from '../../../shared/notifications/notification-key.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, seenAt, sharedZone, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import type { Deployed } from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';
import { hasSegments } from '../../../shared/rules/rule.ts';
import { counted } from '../../../shared/text/counted.ts';
import { badge, subject } from './alert-parts.ts';
import { type Paged, paged, pager } from './paging.ts';

/** The number of deliveries that are loaded. */
export const DELIVERIES = 500;

/** Rows on one page. A row takes five lines on a narrow screen. */
const ROWS = 25;

type Rules = Deployed['byId'];

/** Pending notifications, and past deliveries with their outcome. */
export function deliveriesView(
  { pending, deliveries, byId }: { pending: PendingMessage[]; deliveries: Delivery[]; byId: Rules },
  query: { pending?: string | undefined; page?: string | undefined },
  viewer: Viewer,
): View {
  const waiting = paged(pending, query.pending, ROWS);
  const log = paged(deliveries, query.page, ROWS);
  const body = html`<h1>Deliveries</h1>
<p class="lead">A notification is pending until its channel accepts it. Failed deliveries are retried. No notification is dropped.</p>
<section><h2>Pending notifications</h2>
${pending.length === 0 ? html`<p class="empty">None. All notifications have been sent.</p>` : html`<p>${stateOf(pending)}</p>${pendingTable(waiting, viewer)}`}
${pagerOf(waiting, 'pending', { page: log.page })}</section>
<section><h2>Recent deliveries</h2>
${deliveries.length === 0 ? html`<p class="empty">No deliveries in the last 30 days.</p>` : deliveryTable(log, byId, viewer)}
${pagerOf(log, 'page', { pending: waiting.page })}</section>`;
  return { title: 'Deliveries', body };
}

/** The same words and count as the overview. */
function stateOf(pending: PendingMessage[]): string {
  const { due = [], held = [], later = [] } = Object.groupBy(pending, ({ waits }) => waits);
  return [
    `${due.length} due`,
    ...(held.length > 0 ? [`${held.length} on hold`] : []),
    ...(later.length > 0 ? [counted(later.length, 'later reminder')] : []),
  ].join(', ');
}

function pagerOf(list: Paged<unknown>, key: string, others: Record<string, number>): Html {
  const query = Object.fromEntries(Object.entries(others).map(([name, page]) => [name, String(page)]));
  return pager(list, '/deliveries', query, key);
}

function pendingTable({ rows }: Paged<PendingMessage>, viewer: Viewer): Html {
  const cells = rows.map(({ alert, notification, rule, waits }) => [
    subject(alert, rule),
    badge(notification.transition),
    notification.channel,
    notification.attempts,
    nextAttempt({ notification, rule, waits }, viewer),
  ]);
  return table(
    'Pending notifications',
    ['Alert', 'Transition', 'Channel', 'Failed attempts', 'Next attempt'],
    cells,
  );
}

function nextAttempt(
  { notification, rule, waits }: Pick<PendingMessage, 'notification' | 'rule' | 'waits'>,
  viewer: Viewer,
): Cell {
  const next = seenAt(notification.dueAt, viewer, rule?.zone);
  if (waits === 'held') return 'on hold: a silence, a snooze or a calendar';
  if (waits === 'later') return html`${next}, if not acknowledged by then`;
  return notification.dueAt > viewer.now ? next : `due ${ago(notification.dueAt, viewer.now)}`;
}

function deliveryTable({ rows }: Paged<Delivery>, byId: Rules, viewer: Viewer): Html {
  const zone = sharedZone(byId.values());
  const cells = rows.map((delivery) => [
    html`${titleOf(delivery, byId)}${more(delivery)}`,
    outcomeOf(delivery),
    html`${delivery.channel} <span class="quiet">route ${delivery.route}</span>`,
    seenAt(delivery.at, viewer, zone),
  ]);
  return table('Deliveries, newest first', ['Message', 'Outcome', 'Channel', 'When'], cells);
}

/** The title of the message, linked to its alert, or to the rule of its alerts. */
function titleOf({ title, keys, alerts }: Delivery, byId: Rules): Html {
  const name = html`<bdi>${title}</bdi>`;
  const [first, ...others] = keys.map(alertOfNotificationKey);
  const rule = first && byId.get(first.ruleId);
  if (!first || others.some((each) => each?.ruleId !== first.ruleId)) return name;
  const { ruleId } = first;
  const segment = rule && hasSegments(rule) ? first.segment : null;
  if (alerts === 1 && (rule || appOf(first) !== undefined))
    return html`<a href="${alertPath({ ruleId, segment })}">${name}</a>`;
  return rule ? html`<a href="${rulePath(ruleId)}">${name}</a>` : name;
}

function more({ alerts }: Delivery): Html | string {
  return alerts > 1 ? html` <span class="quiet">(${alerts} alerts)</span>` : '';
}

function outcomeOf({ outcome }: Delivery): Html {
  if (outcome.kind === 'sent') return badge('sent');
  if (outcome.kind === 'kept') return html`${badge('kept locally')} ${outcome.reason}`;
  const next = outcome.permanent ? 'not retried until the configuration changes' : 'will be retried';
  return html`${badge('refused')} ${outcome.reason} <span class="quiet">(${next})</span>`;
}

/** One line for each delivery. */
export function deliveryLines(deliveries: Delivery[], byId: Rules, viewer: Viewer): Html {
  return html`<ul class="lines">${deliveries.map(
    (delivery) => html`<li><span class="line">${titleOf(delivery, byId)}</span>
<span class="quiet">${outcomeOf(delivery)} · ${delivery.channel} · ${timeFor(delivery.at, viewer, sharedZone(byId.values()))} · ${ago(delivery.at, viewer.now)}</span></li>`,
  )}</ul>`;
}
