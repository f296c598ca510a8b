import { html } from 'hono/html';
import type { Alert, AlertKey } from '../../../shared/alerts/alert.ts';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import type { View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { ago, type Viewer } from '../../../shared/pages/time.ts';
import {
  failingRulesIn,
  type Listed,
  type Status,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { badge, stateBadges } from './alert-parts.ts';
import {
  aboutFilters,
  type Chosen,
  chosenIn,
  type Filter,
  filtered,
  filterForm,
  hasState,
  noMatch,
  wordsFilter,
} from './filters.ts';
import { type Paged, paged, pager } from './paging.ts';
import { sparkCell } from './spark.ts';

/** One page of the rules that match the query, with the alert of each whole rule and its most severe segment. */
export interface RuleList {
  list: Paged<Rule>;
  wholes: Map<string, Alert>;
  worst: Map<string, Alert>;
  filters: Filter<Rule>[];
  chosen: Chosen;
}

/** The states that rules are filtered by. A rule with segments has that of its most severe one. */
const STATES = ['firing', 'recovering', 'pending', 'flapping', 'normal', 'cannot be evaluated'] as const;

function ruleFilters(status: Status): Filter<Rule>[] {
  const open = Map.groupBy(watchedIn(status), ({ alert }) => alert.ruleId);
  const failing = new Set(failingRulesIn(status).map(({ rule }) => rule.id));
  const isIn = ({ id }: Rule, state: string) => {
    const alert = open.get(id)?.[0]?.alert;
    return alert ? hasState(alert, state) : state === 'normal';
  };
  return [
    wordsFilter('Title, id, app or owner', ({ id, title, app, owner, severity }) => [
      ...[id, title, app, owner, severity],
    ]),
    ...aboutFilters(status.rules, (rule: Rule) => rule),
    {
      ...{ name: 'state', label: 'State', input: STATES },
      matches: (rule, state) => (state === 'cannot be evaluated' ? failing.has(rule.id) : isIn(rule, state)),
    },
  ];
}

/** The rules that match the query. Loads alerts only for the shown page. */
export async function loadRuleList(
  status: Status,
  { page: asked, ...query }: Record<string, string>,
  alerts: AlertStore,
): Promise<RuleList> {
  const filters = ruleFilters(status);
  const chosen = chosenIn(query, filters);
  const list = paged(filtered(status.rules, filters, chosen), asked);
  const open = Map.groupBy(watchedIn(status), ({ alert }) => alert.ruleId);
  const segments = list.rows.flatMap(({ id }) => open.get(id)?.[0]?.alert ?? []).filter(isOfSegment);
  const loaded = await alerts.load([
    ...list.rows.map(({ id }) => ({ ruleId: id, segment: null })),
    ...segments,
  ]);
  const [worst, wholes] = [loaded.filter(isOfSegment), loaded.filter((alert) => !isOfSegment(alert))];
  return { list, filters, chosen, wholes: byRule(wholes), worst: byRule(worst) };
}

function isOfSegment({ segment }: AlertKey): boolean {
  return segment !== null;
}

function byRule(alerts: Alert[]): Map<string, Alert> {
  return new Map(alerts.map((alert) => [alert.ruleId, alert]));
}

export function rulesView(
  status: Status,
  { list, wholes, worst, filters, chosen }: RuleList,
  viewer: Viewer,
): View {
  const open = Map.groupBy(watchedIn(status), ({ alert }) => alert.ruleId);
  const rows = list.rows.map((rule) => {
    const stored = { whole: wholes.get(rule.id), worst: worst.get(rule.id) };
    return rowOf(rule, stored, open.get(rule.id) ?? [], viewer);
  });
  const { rules } = status;
  const body = html`<h1>Rules</h1>
${filterForm('/rules', filters, chosen)}
${
  rows.length === 0
    ? rules.length === 0
      ? html`<p class="empty">No rules are deployed yet.</p>`
      : noMatch('/rules', 'rule')
    : table('Rules', ['Rule', 'State', 'Last windows', 'App', 'Schedule', 'Owner', 'Evaluated through'], rows)
}
${pager(list, '/rules', chosen)}`;
  return { title: 'Rules', body };
}

function rowOf(
  rule: Rule,
  { whole, worst }: { whole: Alert | undefined; worst: Alert | undefined },
  open: Listed[],
  { now }: Viewer,
): Cell[] {
  const shown = worst ?? whole;
  return [
    html`<a href="${rulePath(rule.id)}">${rule.title}</a>`,
    html`${stateCell(rule, whole, open)}${whole && whole.health.kind !== 'ok' && html` ${badge(whole.health.kind)}`}`,
    shown ? sparkCell(shown, rule) : '–',
    rule.app,
    `every ${rule.every} (${rule.cadence.zone})`,
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
