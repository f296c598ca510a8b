import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import type { Rule } from '../../../shared/alerting/rules/rule.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import { badge, segmentTag } from './alert-parts.ts';

/** What is shown of the history of a rule with many segments. */
const ROWS = 30;

interface Chapter {
  at: number;
  cells: Cell[];
}

/** The spans in which a rule fired and what was told of it, as far as it is kept, the newest first. */
export function historySection(rule: Rule, alerts: Alert[], viewer: Viewer): Html {
  const chapters = alerts.flatMap((alert) => [...spans(rule, alert, viewer), ...news(rule, alert, viewer)]);
  if (chapters.length === 0)
    return html`<section><h2>State history</h2><p class="empty">It has never fired, as far as is kept.</p></section>`;
  const rows = chapters.toSorted((a, b) => b.at - a.at).slice(0, ROWS);
  return html`<section><h2>State history</h2>
${table(
  `What happened to ${rule.title}`,
  ['When', 'What', 'Where'],
  rows.map(({ cells }) => cells),
)}
${chapters.length > ROWS && html`<p class="quiet">and ${chapters.length - ROWS} older ones</p>`}</section>`;
}

function where(rule: Rule, { segment }: Alert): Cell {
  return segment === null ? 'the rule as a whole' : segmentTag(segment, rule.group_by);
}

function spans(rule: Rule, alert: Alert, viewer: Viewer): Chapter[] {
  const { incidents, fired } = alert;
  return incidents.map(({ startAt, endAt }, i) => {
    const isOpen = fired !== null && i === incidents.length - 1;
    const what = isOpen
      ? html`${badge(alert.state)} an incident since ${timeFor(startAt, viewer, rule.zone)}`
      : html`an incident from ${timeFor(startAt, viewer, rule.zone)} to ${timeFor(endAt, viewer, rule.zone)}`;
    return { at: endAt, cells: [seenAt(endAt, viewer, rule.zone), what, where(rule, alert)] };
  });
}

function news(rule: Rule, alert: Alert, viewer: Viewer): Chapter[] {
  return alert.sent.map(({ transition, channel, sentAt }) => ({
    at: sentAt,
    cells: [
      seenAt(sentAt, viewer, rule.zone),
      html`${badge(transition)} told in ${channel}`,
      where(rule, alert),
    ],
  }));
}
