import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, type Viewer } from '../../../shared/pages/time.ts';
import {
  isOpenOrFlapping,
  type Listed,
  loadListed,
  type Status,
  type Watched,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import {
  acknowledgement,
  badge,
  changeText,
  movement,
  segmentText,
  stateBadges,
  subject,
  titleOf,
} from './alert-parts.ts';
import {
  type About,
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
import { spark } from './spark.ts';

/** One page of the open alerts that match the query. */
export interface AlertList {
  list: Paged<Watched>;
  /** The open alerts, filtered or not. */
  open: Listed[];
  filters: Filter<Listed>[];
  chosen: Chosen;
}

const STATES = ['firing', 'recovering', 'pending', 'flapping'] as const;

function alertFilters({ rules }: Status): Filter<Listed>[] {
  return [
    wordsFilter('Rule, app, owner or segment', ({ alert, rule }: Listed) => [
      ...[titleOf(alert, rule), alert.ruleId, rule?.app ?? '', rule?.owner ?? ''],
      segmentText(alert.segment ?? ''),
    ]),
    ...aboutFilters(rules, aboutOf),
    {
      ...{ name: 'state', label: 'State', input: STATES },
      matches: ({ alert }, state) => hasState(alert, state),
    },
    {
      ...{ name: 'ack', label: 'Acknowledged', input: ['yes', 'no'] },
      matches: ({ alert }, ack) =>
        isOpenOrFlapping({ alert }) && (alert.acknowledged === null) === (ack === 'no'),
    },
  ];
}

/** The alert of an app has no rule, and no owner. */
function aboutOf({ alert, rule }: Listed): About {
  return rule ?? { app: appOf(alert) ?? '', owner: '', severity: 'critical' };
}

/** The alerts that match the query, most severe first. Loads only the shown page. */
export async function loadAlertList(
  status: Status,
  { page: asked, ...query }: Record<string, string>,
  alerts: AlertStore,
): Promise<AlertList> {
  const filters = alertFilters(status);
  const chosen = chosenIn(query, filters);
  const open = watchedIn(status).filter(
    ({ alert }) => isOpenOrFlapping({ alert }) || alert.state === 'pending',
  );
  const page = paged(filtered(open, filters, chosen), asked);
  return { list: { ...page, rows: await loadListed(page.rows, alerts) }, open, filters, chosen };
}

/** The list of firing and pending alerts, most severe first. */
export function alertsView(
  { list, open, filters, chosen }: AlertList,
  viewer: Viewer,
  silences: Silence[],
): View {
  const body = html`<h1>Alerts</h1>
<p class="lead">Firing and pending alerts, most severe first. Resolved alerts are in the <a href="/timeline">Timeline</a>.</p>
${filterForm('/alerts', filters, chosen)}
${list.total === 0 ? emptyNote(open.length) : alertTable(list.rows, viewer, silences)}
${pager(list, '/alerts', chosen)}`;
  return { title: 'Alerts', body };
}

function emptyNote(open: number): Html {
  return open === 0
    ? html`<p class="empty">No open alerts. An alert appears here when its first window breaches.</p>`
    : noMatch('/alerts', 'open alert');
}

export function alertTable(rows: Watched[], viewer: Viewer, silences: Silence[]): Html {
  return table(
    'Alerts',
    ['Alert', 'State', 'Baseline → last window', 'Last windows', 'Since', 'Acknowledged'],
    rows.map((each) => rowOf(each, viewer, silences)),
  );
}

function rowOf({ alert, rule }: Watched, viewer: Viewer, silences: Silence[]): Cell[] {
  const zone = rule?.zone ?? 'UTC';
  return [
    subject(alert, rule),
    html`${stateBadges(alert)} ${badge(rule?.severity ?? 'critical')}`,
    rule ? html`${movement(alert, rule)} <span class="change">${changeText(alert)}</span>` : '–',
    spark(alert, rule) || '–',
    seenAt(sinceOf(alert), viewer, zone),
    alert.state === 'pending' ? '–' : acknowledgement({ alert, rule }, viewer, silences),
  ];
}
