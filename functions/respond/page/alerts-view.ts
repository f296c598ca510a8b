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

/** What the list is narrowed down to: words, a state, "nobody" has it. */
export interface AlertsQuery {
  q?: string | undefined;
  state?: string | undefined;
  who?: string | undefined;
  page?: string | undefined;
}

/** The part of all alerts that are open that is shown. */
export interface AlertList {
  list: Paged<Watched>;
  query: AlertsQuery;
  words: string;
  /** How many there are, whatever the query asks for. */
  open: number;
}

/** The alerts that the query asks for, the gravest first. Only those that are shown are loaded. */
export async function loadAlertList(
  standing: Standing,
  query: AlertsQuery,
  alerts: AlertStore,
): Promise<AlertList> {
  const words = (query.q ?? '').trim();
  const open = watchedIn(standing).filter(({ alert }) => isWrong({ alert }) || alert.state === 'pending');
  const found = open.filter((each) => isWanted(each, query, words));
  const page = paged(found, query.page);
  const list = { ...page, rows: await loadListed(page.rows, alerts) };
  return { list, query, words, open: open.length };
}

/** Every alert that is not at rest, the gravest first. */
export function alertsView(
  { list, query, words, open }: AlertList,
  viewer: Viewer,
  silences: Silence[],
): View {
  const body = html`<h1>Alerts</h1>
<p class="lead">Everything that fires or begins to, the gravest first. What is over is told in <a href="/deliveries">the deliveries</a>, and on the page of its rule.</p>
${searchBox('/alerts', words, 'Rule, app, owner or segment')}
${choices(query)}
${
  list.total === 0
    ? html`<p class="empty">${open === 0 ? 'Nothing. An alert is listed here from the first window that breaches.' : 'Nothing of this kind is open.'}</p>`
    : table(
        'Alerts',
        ['What', 'State', 'Before → last window', 'Since', 'Who has it'],
        list.rows.map((each) => rowOf(each, viewer, silences)),
      )
}
${pager(list, '/alerts', kept(query))}`;
  return { title: 'Alerts', body };
}

function isWanted({ alert, rule }: Listed, { state, who }: AlertsQuery, words: string): boolean {
  const texts = [titleOf(alert, rule), alert.ruleId, rule?.app ?? '', rule?.owner ?? ''];
  const isOfState = state !== 'pending' || alert.state === 'pending';
  const isFree = who !== 'nobody' || (alert.acknowledged === null && isWrong({ alert }));
  return isOfState && isFree && isAbout([...texts, segmentText(alert.segment ?? '')], words);
}

/** The query as it goes on to other pages of the list. */
function kept({ q, state, who }: AlertsQuery): Record<string, string> {
  return { ...(q && { q }), ...(state && { state }), ...(who && { who }) };
}

function choices({ state, who }: AlertsQuery): Html {
  const all = [
    ['/alerts', 'All', !state && !who],
    ['/alerts?who=nobody', 'Nobody has it', who === 'nobody'],
    ['/alerts?state=pending', 'May begin to fire', state === 'pending'],
  ] as const;
  return html`<nav class="choices" aria-label="Which alerts">${all.map(([href, name, isChosen]) =>
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
