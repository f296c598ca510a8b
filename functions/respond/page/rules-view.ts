import { html } from 'hono/html';
import type { Alert } from '../../../shared/alerts/alert.ts';
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
import { counted } from '../../../shared/text/counted.ts';
import { badge, stateBadges } from './alert-parts.ts';
import { aboutFilters, type Filter, hasState, listingOf, wordsFilter } from './filters.ts';
import { sparkCell } from './spark.ts';

/** The states that rules are filtered by. A rule with segments has that of its most severe one. */
const STATES = ['firing', 'recovering', 'pending', 'flapping', 'normal', 'cannot be evaluated'] as const;

function ruleFilters(status: Status, open: Map<string, Listed[]>): Filter<Rule>[] {
  const failing = new Set(failingRulesIn(status).map(({ rule }) => rule.id));
  const isIn = ({ id }: Rule, state: string) => {
    const alert = open.get(id)?.[0]?.alert;
    return alert ? hasState(alert, state) : state === 'normal';
  };
  return [
    wordsFilter('Title, id, app or owner', ({ id, title, app, owner }) => [id, title, app, owner]),
    ...aboutFilters(status.rules, (rule: Rule) => rule),
    {
      ...{ name: 'state', label: 'State', input: STATES },
      matches: (rule, state) => (state === 'cannot be evaluated' ? failing.has(rule.id) : isIn(rule, state)),
    },
  ];
}

/** The rules that match the query. Loads alerts only for the shown page. */
export async function rulesView(
  status: Status,
  query: Record<string, string>,
  alerts: AlertStore,
  viewer: Viewer,
): Promise<View> {
  const openOf = Map.groupBy(watchedIn(status), ({ alert }) => alert.ruleId);
  const filters = ruleFilters(status, openOf);
  const none = 'No rules are deployed yet.';
  const page = listingOf(status.rules, query, { path: '/rules', filters, none });
  const keys = page.rows.flatMap(({ id }) => {
    const worst = openOf.get(id)?.[0]?.alert;
    const whole = { ruleId: id, segment: null };
    return worst && worst.segment !== null ? [whole, worst] : [whole];
  });
  const loaded = Map.groupBy(await alerts.load(keys), ({ ruleId }) => ruleId);
  const rows = page.rows.map((rule) =>
    rowOf(rule, loaded.get(rule.id) ?? [], openOf.get(rule.id) ?? [], viewer),
  );
  const headings = ['Rule', 'State', 'Last windows', 'App', 'Schedule', 'Owner', 'Evaluated through'];
  return {
    title: 'Rules',
    body: html`<h1>Rules</h1>${page.around(table('Rules', headings, rows, 'rules'))}`,
  };
}

/** `own`: the alert of the whole rule and of its most severe open segment. `open`: most severe first. */
function rowOf(rule: Rule, own: Alert[], open: Listed[], { now }: Viewer): Cell[] {
  const whole = own.find(({ segment }) => segment === null);
  const shown = own.find(({ segment }) => segment !== null) ?? whole;
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
  if (!mostSevere) return badge(whole ? 'normal' : 'not evaluated yet');
  const same = open.filter(({ alert }) => alert.state === mostSevere.alert.state).length;
  return html`${stateBadges(mostSevere.alert)}${hasSegments(rule) && html` <span class="quiet">${counted(same, 'segment')}</span>`}`;
}
