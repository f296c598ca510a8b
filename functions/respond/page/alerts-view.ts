import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerting/alerts/alert-store.ts';
import { sinceOf } from '../../../shared/alerting/alerts/open-since.ts';
import type { Silence } from '../../../shared/alerting/notifications/silences.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import {
  isWrong,
  type Listed,
  loadListed,
  type Standing,
  type Watched,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import { acknowledgement } from './acknowledgement.ts';
import { badge, changeText, movement, segmentText, stateBadges, subject, titleOf } from './alert-parts.ts';
import { isAbout, type Paged, paged, pager, searchBox } from './paging.ts';

/** The filters of the list: words, a state, and `ack=no` for alerts that are not acknowledged. */
export interface AlertsQuery {
  q?: string | undefined;
  state?: string | undefined;
  ack?: string | undefined;
  page?: string | undefined;
}

/** One page of the open alerts that match the query. */
export interface AlertList {
  list: Paged<Watched>;
  query: AlertsQuery;
  words: string;
  /** The number of open alerts, filtered or not. */
  open: number;
}

/** The alerts that match the query, most severe first. Loads only the shown page. */
export async function loadAlertList(
  standing: Standing,
  query: AlertsQuery,
  alerts: AlertStore,
): Promise<AlertList> {
  const words = (query.q ?? '').trim();
  const open = watchedIn(standing).filter(({ alert }) => isWrong({ alert }) || alert.state === 'pending');
  const found = open.filter((each) => matchesQuery(each, query, words));
  const page = paged(found, query.page);
  const list = { ...page, rows: await loadListed(page.rows, alerts) };
  return { list, query, words, open: open.length };
}

/** The list of firing and pending alerts, most severe first. */
export function alertsView(
  { list, query, words, open }: AlertList,
  viewer: Viewer,
  silences: Silence[],
): View {
  const body = html`<h1>Alerts</h1>
<p class="lead">Firing and pending alerts, most severe first. Resolved alerts are listed under <a href="/deliveries">Deliveries</a> and in the history of their rule.</p>
${searchBox('/alerts', words, 'Rule, app, owner or segment')}
${choices(query)}
${
  list.total === 0
    ? html`<p class="empty">${open === 0 ? 'No open alerts. An alert appears here when its first window breaches.' : 'No open alert matches.'}</p>`
    : table(
        'Alerts',
        ['Alert', 'State', 'Baseline → last window', 'Since', 'Acknowledged'],
        list.rows.map((each) => rowOf(each, viewer, silences)),
      )
}
${pager(list, '/alerts', kept(query))}`;
  return { title: 'Alerts', body };
}

function matchesQuery({ alert, rule }: Listed, { state, ack }: AlertsQuery, words: string): boolean {
  const texts = [titleOf(alert, rule), alert.ruleId, rule?.app ?? '', rule?.owner ?? ''];
  const hasWantedState = state !== 'pending' || alert.state === 'pending';
  const hasWantedAck = ack !== 'no' || (alert.acknowledged === null && isWrong({ alert }));
  return hasWantedState && hasWantedAck && isAbout([...texts, segmentText(alert.segment ?? '')], words);
}

/** The query parameters that the links to other pages keep. */
function kept({ q, state, ack }: AlertsQuery): Record<string, string> {
  return { ...(q && { q }), ...(state && { state }), ...(ack && { ack }) };
}

function choices({ state, ack }: AlertsQuery): Html {
  const all = [
    ['/alerts', 'All', !state && !ack],
    ['/alerts?ack=no', 'Not acknowledged', ack === 'no'],
    ['/alerts?state=pending', 'Pending', state === 'pending'],
  ] as const;
  return html`<nav class="choices" aria-label="Filter alerts">${all.map(([href, name, isChosen]) =>
    isChosen ? html`<a href="${href}" aria-current="true">${name}</a>` : html`<a href="${href}">${name}</a>`,
  )}</nav>`;
}

function rowOf({ alert, rule }: Watched, viewer: Viewer, silences: Silence[]): Cell[] {
  const zone = rule?.zone ?? 'UTC';
  return [
    subject(alert, rule),
    html`${stateBadges(alert)} ${badge(rule?.severity ?? 'critical')}`,
    rule ? html`${movement(alert, rule)} <span class="change">${changeText(alert)}</span>` : '–',
    seenAt(sinceOf(alert), viewer, zone),
    alert.state === 'pending' ? '–' : acknowledgement({ alert, rule }, viewer, silences),
  ];
}
