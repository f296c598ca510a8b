import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alert.ts';
import type { Rule } from '../../../shared/alerting/rule.ts';
import { badge, changeText, movement, stateBadges, subject } from './alert-parts.ts';
import type { Html, View } from './html.ts';
import { byGravity, type RuleStatus, type Snapshot } from './snapshot.ts';
import { table } from './table.ts';
import { ago, moment } from './time.ts';

const LATELY_MS = 7 * 86_400_000;

/** Every alert that is not at rest or that was spoken of in the last week. */
export function alertsView({ statuses, now }: Snapshot): View {
  const rows = statuses
    .flatMap(alertsOf)
    .filter(
      ({ alert }) =>
        alert.state !== 'normal' || alert.flappingSinceAt !== null || wasAnnounced(alert, now - LATELY_MS),
    )
    .toSorted((a, b) => byGravity(a.alert, b.alert))
    .map(({ rule, alert }) => [
      subject(alert, rule),
      html`${stateBadges(alert)} ${alert.health.kind !== 'ok' && badge(alert.health.kind)}`,
      movement(alert, rule),
      changeText(alert),
      moment(alert.stateSinceAt, rule.zone, now),
      lastSaid(alert, now),
    ]);
  const headings = ['What', 'State', 'Before → last window', 'Change', 'In this state since', 'Last message'];
  const body = html`<h1>Alerts</h1>
<p class="lead">Everything that is not at rest, and what was spoken of in the last seven days.</p>
${
  rows.length === 0
    ? html`<p class="empty">Nothing. An alert is listed here from the first window that breaches.</p>`
    : table('Alerts', headings, rows)
}`;
  return { title: 'Alerts', body };
}

/** The rule's own alert is listed besides its segments: its health is spoken of too. */
function alertsOf({ rule, whole, series }: RuleStatus): { rule: Rule; alert: Alert }[] {
  const alerts = new Set([...series, ...(whole ? [whole] : [])]);
  return [...alerts].map((alert) => ({ rule, alert }));
}

function wasAnnounced({ announced }: Alert, since: number): boolean {
  return announced.some(({ sentAt }) => sentAt >= since);
}

function lastSaid({ announced: [last] }: Alert, now: number): Html | string {
  return last ? html`${last.transition} in ${last.channel}, ${ago(last.sentAt, now)}` : 'none';
}
