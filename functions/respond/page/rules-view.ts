import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerting/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerting/alerts/alert-store.ts';
import { watchedText } from '../../../shared/alerting/messages/figure-text.ts';
import { rulePath } from '../../../shared/alerting/messages/page-paths.ts';
import { hasSegments, type Rule } from '../../../shared/alerting/rules/rule.ts';
import type { View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, type Viewer } from '../../../shared/pages/time.ts';
import { type Listed, type Standing, watchedIn } from '../../../shared/responding/alert-status.ts';
import { badge, stateBadges } from './alert-parts.ts';
import { isAbout, type Paged, paged, pager, searchBox } from './paging.ts';

/** One page of the rules that match the query, with the alert of each whole rule. */
export interface RuleList {
  list: Paged<Rule>;
  wholes: Map<string, Alert>;
  words: string;
}

/** The rules that match the query. Loads alerts only for the shown page. */
export async function loadRuleList(
  { rules }: Standing,
  query: { q?: string | undefined; page?: string | undefined },
  alerts: AlertStore,
): Promise<RuleList> {
  const words = (query.q ?? '').trim();
  const found = rules.filter(({ id, title, app, owner, severity }) =>
    isAbout([id, title, app, owner, severity], words),
  );
  const list = paged(found, query.page);
  const wholes = await alerts.load(list.rows.map(({ id }) => ({ ruleId: id, segment: null })));
  return { list, words, wholes: new Map(wholes.map((alert) => [alert.ruleId, alert])) };
}

export function rulesView(standing: Standing, { list, wholes, words }: RuleList, viewer: Viewer): View {
  const open = Map.groupBy(watchedIn(standing), ({ alert }) => alert.ruleId);
  const rows = list.rows.map((rule) => rowOf(rule, wholes.get(rule.id), open.get(rule.id) ?? [], viewer));
  const empty = standing.rules.length === 0 ? 'No rules are deployed yet.' : 'No rules match.';
  const body = html`<h1>Rules</h1>
${searchBox('/rules', words, 'Title, id, app or owner')}
${
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : table('Rules', ['Rule', 'State', 'Metric and schedule', 'Owner', 'Evaluated through'], rows)
}
${pager(list, '/rules', words === '' ? {} : { q: words })}`;
  return { title: 'Rules', body };
}

function rowOf(rule: Rule, whole: Alert | undefined, open: Listed[], { now }: Viewer): Cell[] {
  return [
    html`<a href="${rulePath(rule.id)}">${rule.title}</a>`,
    html`${stateCell(rule, whole, open)}${whole && whole.health.kind !== 'ok' && html` ${badge(whole.health.kind)}`}`,
    `${watchedText(rule)} of ${rule.app}, every ${rule.every} (${rule.cadence.zone})`,
    rule.owner,
    whole ? html`<span class="ago">${ago(whole.evaluatedThroughAt, now)}</span>` : 'not evaluated yet',
  ];
}

/** The most severe state among the open alerts of the rule. */
function stateCell(rule: Rule, whole: Alert | undefined, open: Listed[]): Cell {
  const [mostSevere] = open;
  if (!mostSevere) return badge(whole ? 'normal' : 'unseen');
  const same = open.filter(({ alert }) => alert.state === mostSevere.alert.state).length;
  return html`${stateBadges(mostSevere.alert)}${hasSegments(rule) && html` <span class="quiet">${same} ${same === 1 ? 'segment' : 'segments'}</span>`}`;
}
