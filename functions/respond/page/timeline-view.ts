import { html } from 'hono/html';
import type { AlertKey } from '../../../shared/alerts/alert.ts';
import { REMEMBERED_INCIDENTS } from '../../../shared/alerts/alert-states.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import {
  type Incident,
  incidentsOf,
  LISTED_DAYS,
  type PastIncidents,
} from '../../../shared/alerts/past-incidents.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import type { View } from '../../../shared/pages/html.ts';
import { type Cell, table } from '../../../shared/pages/table.ts';
import { seenAt, sharedZone, timeTag, type Viewer } from '../../../shared/pages/time.ts';
import type { Deployed, Status } from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { badge, segmentTag } from './alert-parts.ts';
import { aboutFilters, chosenIn, filtered, filterForm, noMatch } from './filters.ts';
import { notesList } from './notes-section.ts';
import { paged, pager } from './paging.ts';
import { unreadNote } from './unread-note.ts';

interface Seen extends Deployed, Pick<Status, 'unread'> {
  incidents: PastIncidents[];
  /** The newest first. */
  notes: Note[];
}

/** The incidents of deployed rules, newest first, and notes. */
export function timelineView(
  { incidents, notes, ...deployed }: Seen,
  { page, ...query }: Record<string, string>,
  viewer: Viewer,
): View {
  const filters = aboutFilters(deployed.rules, ({ rule }: RuleIncident) => rule);
  const chosen = chosenIn(query, filters);
  const items = incidentsOfRules(incidents, deployed.byId, viewer.now);
  const list = paged(filtered(items, filters, chosen), page);
  const { app } = chosen;
  const noted = notes.filter((note) => app === undefined || note.app === null || note.app === app);
  const body = html`<h1>Timeline</h1>
<p class="lead">When alerts fired, newest first: ${LISTED_DAYS} days, and the last ${REMEMBERED_INCIDENTS} incidents of each alert. <a href="/deliveries">Deliveries</a> lists messages.</p>
${filterForm('/timeline', filters, chosen)}
${items.length === 0 && html`<p class="empty">No alert fired in the last ${LISTED_DAYS} days.</p>`}
${items.length > 0 && list.total === 0 && noMatch('/timeline', 'incident')}
${
  list.total > 0 &&
  table(
    'Incidents, newest first',
    ['Alert', 'Severity', 'Started', 'Ended'],
    list.rows.map((each) => rowOf(each, viewer)),
  )
}
${pager(list, '/timeline', chosen)}
${notesList(noted, viewer, sharedZone(deployed.rules))}
${unreadNote(deployed)}`;
  return { title: 'Timeline', body };
}

interface RuleIncident extends Incident {
  rule: Rule;
  key: AlertKey;
}

/** The listed incidents, newest first. Leaves out the alert of a whole rule with segments. */
function incidentsOfRules(
  alerts: PastIncidents[],
  byId: ReadonlyMap<string, Rule>,
  now: number,
): RuleIncident[] {
  return alerts
    .flatMap((alert) => {
      const { ruleId, segment } = alert;
      const rule = byId.get(ruleId);
      if (!rule || hasSegments(rule) !== (segment !== null)) return [];
      return incidentsOf(alert, now).map((each) => ({ ...each, rule, key: { ruleId, segment } }));
    })
    .filter(({ endAt }) => endAt > now - LISTED_DAYS * DAY_MS)
    .toSorted((a, b) => b.startAt - a.startAt);
}

/** Charts show at least this many days. */
const CHART_DAYS = 14;

function rowOf({ rule, key, startAt, endAt, isOpen }: RuleIncident, viewer: Viewer): Cell[] {
  const isOnLastChart = endAt > viewer.now - CHART_DAYS * DAY_MS;
  const path = alertPath(key, isOnLastChart ? undefined : endAt + 2 * DAY_MS);
  return [
    html`<a href="${path}">${rule.title}</a>${key.segment !== null && html` ${segmentTag(key.segment, groupText(rule))}`}`,
    badge(rule.severity),
    timeTag(startAt, rule.zone),
    isOpen ? badge('firing') : seenAt(endAt, viewer, rule.zone),
  ];
}
