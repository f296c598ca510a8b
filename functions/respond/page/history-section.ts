import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { badge, segmentTag } from './alert-parts.ts';

/** Rows of the history. A rule with many segments has more. */
const ROWS = 30;

interface HistoryEntry {
  at: number;
  cells: Cell[];
}

/** The stored incidents and notifications of a rule, newest first. */
export function historySection(rule: Rule, alerts: Alert[], viewer: Viewer): Html {
  const entries = alerts.flatMap((alert) => [
    ...incidentsOf(rule, alert, viewer),
    ...notificationsOf(rule, alert, viewer),
  ]);
  if (entries.length === 0)
    return html`<section><h2>State history</h2><p class="empty">No incidents are stored.</p></section>`;
  const rows = entries.toSorted((a, b) => b.at - a.at).slice(0, ROWS);
  return html`<section><h2>State history</h2>
${table(
  `State history of ${rule.title}`,
  ['Time', 'Event', 'Scope'],
  rows.map(({ cells }) => cells),
)}
${entries.length > ROWS && html`<p class="quiet">${entries.length - ROWS} older entries are not shown</p>`}</section>`;
}

function scopeOf(rule: Rule, { segment }: Alert): Cell {
  return segment === null ? 'whole rule' : segmentTag(segment, groupText(rule));
}

function incidentsOf(rule: Rule, alert: Alert, viewer: Viewer): HistoryEntry[] {
  const { incidents, fired } = alert;
  return incidents.map(({ startAt, endAt }, i) => {
    const isOpen = fired !== null && i === incidents.length - 1;
    const what = isOpen
      ? html`${badge(alert.state)} incident since ${timeFor(startAt, viewer, rule.zone)}`
      : html`incident from ${timeFor(startAt, viewer, rule.zone)} to ${timeFor(endAt, viewer, rule.zone)}`;
    return { at: endAt, cells: [seenAt(endAt, viewer, rule.zone), what, scopeOf(rule, alert)] };
  });
}

function notificationsOf(rule: Rule, alert: Alert, viewer: Viewer): HistoryEntry[] {
  return alert.sent.map(({ transition, channel, sentAt }) => ({
    at: sentAt,
    cells: [
      seenAt(sentAt, viewer, rule.zone),
      html`${badge(transition)} sent to ${channel}`,
      scopeOf(rule, alert),
    ],
  }));
}
