import { html } from 'hono/html';
import { nextRun } from '../../../shared/alerting/cadence.ts';
import { watchedText } from '../../../shared/alerting/wording.ts';
import { badge } from './alert-parts.ts';
import type { View } from './html.ts';
import type { RuleStatus, Snapshot } from './snapshot.ts';
import { type Cell, table } from './table.ts';
import { moment } from './time.ts';

export function rulesView({ statuses, now }: Snapshot): View {
  const rows = statuses.map((status) => rowOf(status, now));
  const body = html`<h1>Rules</h1>
${
  rows.length === 0
    ? html`<p class="empty">No rules are deployed yet.</p>`
    : table('All rules', ['Rule', 'State', 'Health', 'Watches', 'Next look'], rows)
}`;
  return { title: 'Rules', body };
}

function rowOf({ rule, whole, series }: RuleStatus, now: number): Cell[] {
  return [
    html`<a href="/rules/${rule.id}">${rule.title}</a>`,
    stateCell(series),
    whole ? badge(whole.health.kind) : '–',
    `${watchedText(rule)} of ${rule.app}, every ${rule.every}`,
    moment(nextRun(rule.cadence, now), rule.zone, now),
  ];
}

function stateCell(series: RuleStatus['series']): Cell {
  const [gravest] = series;
  if (!gravest) return badge('unseen');
  const same = series.filter(({ state }) => state === gravest.state).length;
  return series.length === 1
    ? badge(gravest.state)
    : html`${badge(gravest.state)} <span class="quiet">${same} of ${series.length} segments</span>`;
}
