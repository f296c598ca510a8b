import { html } from 'hono/html';
import type { AlertStore } from '../../../shared/alerts/alert-store.ts';
import { appOf } from '../../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../../shared/alerts/open-alert.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, timeFor, type Viewer } from '../../../shared/pages/time.ts';
import {
  isOpenOrFlapping,
  type Listed,
  loadListed,
  type Status,
  type Watched,
  watchedIn,
} from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import type { Silence } from '../../../shared/silences/silence.ts';
import { dateAt } from '../../../shared/time/window.ts';
import {
  acknowledgement,
  badge,
  changeText,
  movement,
  segmentTag,
  segmentText,
  stateBadges,
  subject,
  titleOf,
} from './alert-parts.ts';
import { incidentPath, incidentsOfRules, type RuleIncident } from './calendar.ts';
import {
  type About,
  aboutFilters,
  type Chosen,
  chosenIn,
  dateFilters,
  type Filter,
  filtered,
  filterForm,
  hasState,
  noMatch,
  wordsFilter,
} from './filters.ts';
import { type Paged, paged, pager } from './paging.ts';

/** One page of the open alerts that match the query. */
export interface AlertList {
  list: Paged<Watched>;
  /** The open alerts, filtered or not. */
  open: Listed[];
  /** If none are open and no filter is chosen, the incidents that ended last. */
  ended: RuleIncident[];
  filters: Filter<Listed>[];
  chosen: Chosen;
}

/** Ended incidents in the list. */
const ENDED = 10;

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
    ...dateFilters(({ alert, rule }: Listed) => {
      const since = dateAt(alert.sinceAt, rule?.zone ?? 'UTC');
      return { from: since, to: since };
    }),
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
  now: number,
): Promise<AlertList> {
  const filters = alertFilters(status);
  const chosen = chosenIn(query, filters);
  const open = watchedIn(status).filter(
    ({ alert }) => isOpenOrFlapping({ alert }) || alert.state === 'pending',
  );
  const page = paged(filtered(open, filters, chosen), asked);
  const rows = await loadListed(page.rows, alerts);
  const isQuiet = open.length === 0 && Object.keys(chosen).length === 0;
  const past = isQuiet ? await alerts.loadIncidents() : [];
  const ended = incidentsOfRules(past, status.byId, now)
    .filter(({ isOpen }) => !isOpen)
    .toSorted((a, b) => b.endAt - a.endAt);
  return { list: { ...page, rows }, open, ended: ended.slice(0, ENDED), filters, chosen };
}

/** The list of firing and pending alerts, most severe first. */
export function alertsView(
  { list, open, ended, filters, chosen }: AlertList,
  viewer: Viewer,
  silences: Silence[],
): View {
  const body = html`<h1>Alerts</h1>
<p class="lead">Firing and pending alerts, most severe first. Resolved alerts are in the <a href="/timeline">Timeline</a> and in the history of their rule.</p>
${filterForm('/alerts', filters, chosen)}
${list.total === 0 ? emptyNote({ items: open, filters, chosen }) : alertTable(list.rows, viewer, silences)}
${pager(list, '/alerts', chosen)}
${ended.length > 0 && endedSection(ended, viewer)}`;
  return { title: 'Alerts', body };
}

function endedSection(ended: RuleIncident[], viewer: Viewer): Html {
  const rows = ended.map(({ rule, key, startAt, endAt }): Cell[] => [
    html`<a href="${incidentPath(key, endAt, viewer.now)}">${rule.title}</a>${key.segment !== null && html` ${segmentTag(key.segment, groupText(rule))}`}`,
    badge(rule.severity),
    timeFor(startAt, viewer, rule.zone),
    seenAt(endAt, viewer, rule.zone),
  ]);
  return html`<section id="ended"><h2>Last incidents</h2>
${table('Last incidents', ['Alert', 'Severity', 'Started', 'Ended'], rows)}</section>`;
}

function emptyNote(found: { items: Listed[]; filters: Filter<Listed>[]; chosen: Chosen }): Html {
  return found.items.length === 0
    ? html`<p class="empty">No open alerts. An alert appears here when its first window breaches.</p>`
    : noMatch(found, '/alerts', 'open alert');
}

function alertTable(rows: Watched[], viewer: Viewer, silences: Silence[]): Html {
  return table(
    'Alerts',
    ['Alert', 'State', 'Baseline → last window', 'Since', 'Acknowledged'],
    rows.map((each) => rowOf(each, viewer, silences)),
  );
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
