import { html } from 'hono/html';
import { appOf } from '../../../shared/alerting/alerts/app-alert.ts';
import { alertPath, rulePath } from '../../../shared/alerting/messages/page-paths.ts';
import type { Delivery } from '../../../shared/alerting/notifications/delivery-log.ts';
import { alertOfNotificationKey } from '../../../shared/alerting/notifications/notification-key.ts';
import { hasSegments } from '../../../shared/alerting/rules/rule.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, seenAt, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import type { Deployed } from '../../../shared/responding/alert-status.ts';
import type { PendingMessage } from '../../../shared/responding/pending-messages.ts';
import { badge, subject } from './alert-parts.ts';
import { type Paged, paged, pager } from './paging.ts';

/** Deliveries that one page goes back to. */
export const DELIVERIES = 500;

/** Where a row is narrow it is five lines. */
const ROWS = 25;

type Rules = Deployed['byId'];

/** What is still to be sent, and what was or failed to be. */
export function deliveriesView(
  { pending, deliveries, byId }: { pending: PendingMessage[]; deliveries: Delivery[]; byId: Rules },
  query: { pending?: string | undefined; page?: string | undefined },
  viewer: Viewer,
): View {
  const waiting = paged(pending, query.pending, ROWS);
  const log = paged(deliveries, query.page, ROWS);
  const body = html`<h1>Deliveries</h1>
<p class="lead">A message is owed until its channel has taken it. One that fails is tried again, and nothing is dropped.</p>
<section><h2>Still to be sent, and what waits</h2>
${pending.length === 0 ? html`<p class="empty">Nothing. Everything that there was to tell is told.</p>` : html`<p>${stateOf(pending)}</p>${pendingTable(waiting, viewer)}`}
${pagerOf(waiting, 'pending', { page: log.page })}</section>
<section><h2>What was sent, and what was not</h2>
${deliveries.length === 0 ? html`<p class="empty">No delivery was tried in the last 30 days.</p>` : deliveryTable(log, byId, viewer)}
${pagerOf(log, 'page', { pending: waiting.page })}</section>`;
  return { title: 'Deliveries', body };
}

/** In the words, and with the number, of the overview. */
function stateOf(pending: PendingMessage[]): string {
  const { due = [], held = [], later = [] } = Object.groupBy(pending, ({ waits }) => waits);
  const waiting = later.length === 1 ? 'that waits for its time' : 'that wait for their time';
  return [
    `${due.length} still to be sent`,
    ...(held.length > 0 ? [`${held.length} held back`] : []),
    ...(later.length > 0 ? [`${later.length} ${waiting}`] : []),
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
    'Messages still to be sent',
    ['About', 'What', 'Channel', 'Failed attempts', 'Next attempt'],
    cells,
  );
}

function nextAttempt(
  { notification, rule, waits }: Pick<PendingMessage, 'notification' | 'rule' | 'waits'>,
  viewer: Viewer,
): Cell {
  const next = seenAt(notification.dueAt, viewer, rule?.zone);
  if (waits === 'held') return 'held back by a silence, a snooze or a calendar';
  if (waits === 'later') return html`${next}, if nobody has it by then`;
  return notification.dueAt > viewer.now ? next : `due ${ago(notification.dueAt, viewer.now)}`;
}

function deliveryTable({ rows }: Paged<Delivery>, byId: Rules, viewer: Viewer): Html {
  const cells = rows.map((delivery) => [
    html`${titleOf(delivery, byId)}${more(delivery)}`,
    outcomeOf(delivery),
    html`${delivery.channel} <span class="quiet">route ${delivery.route}</span>`,
    seenAt(delivery.at, viewer),
  ]);
  return table('Deliveries, the newest first', ['Message', 'Outcome', 'Channel', 'When'], cells);
}

/** What the message was called, linked to what it told of: one alert, or several of one rule. */
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
  if (outcome.kind === 'kept') return html`${badge('kept here')} ${outcome.reason}`;
  const next = outcome.permanent ? 'nothing helps until somebody mends it' : 'it is tried again';
  return html`${badge('refused')} ${outcome.reason} <span class="quiet">(${next})</span>`;
}

/** The same in a line each, for where there is little room. */
export function deliveryLines(deliveries: Delivery[], byId: Rules, viewer: Viewer): Html {
  return html`<ul class="lines">${deliveries.map(
    (delivery) => html`<li><span class="line">${titleOf(delivery, byId)}</span>
<span class="quiet">${outcomeOf(delivery)} · ${delivery.channel} · ${timeFor(delivery.at, viewer)} · ${ago(delivery.at, viewer.now)}</span></li>`,
  )}</ul>`;
}
