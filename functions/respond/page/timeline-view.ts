import { html } from 'hono/html';
import type { AlertKey } from '../../../shared/alerts/alert.ts';
import { REMEMBERED_INCIDENTS } from '../../../shared/alerts/alert-states.ts';
import type { UnreadableAlert } from '../../../shared/alerts/alert-store.ts';
import type { Note, NoteStore } from '../../../shared/alerts/note.ts';
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
import {
  type Deployed,
  loadDeployed,
  type Status,
  type StatusStores,
} from '../../../shared/responding/alert-status.ts';
import { groupText } from '../../../shared/rules/group-by.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { badge, segmentTag } from './alert-parts.ts';
import { aboutFilters, listingOf } from './filters.ts';
import { notesSection } from './notes-section.ts';
import { unreadNote } from './unread-note.ts';

interface Seen extends Deployed, Pick<Status, 'unread'> {
  incidents: PastIncidents[];
  /** The newest first. */
  notes: Note[];
}

export async function loadTimeline(deps: StatusStores & { notes: NoteStore }, now: number): Promise<Seen> {
  const unread: UnreadableAlert[] = [];
  const [deployed, incidents, notes] = await Promise.all([
    loadDeployed(deps, now),
    deps.alerts.loadIncidents((alert) => void unread.push(alert)),
    deps.notes.load({ fromAt: now - (LISTED_DAYS + 1) * DAY_MS, throughAt: now }),
  ]);
  return { ...deployed, unread, incidents, notes };
}

/** Whether a note is on the timeline of this app, or of all. */
export const isAboutApp = (app: string | undefined) => (note: Note) =>
  app === undefined || note.app === null || note.app === app;

/** The incidents of deployed rules, newest first, and notes. */
export function timelineView(
  { incidents, notes, ...deployed }: Seen,
  query: Record<string, string>,
  viewer: Viewer,
): View {
  const { rows, chosen, around } = listingOf(incidentsOfRules(incidents, deployed.byId, viewer.now), query, {
    path: '/timeline',
    filters: aboutFilters(deployed.rules, ({ rule }: RuleIncident) => rule),
    none: `No alert fired in the last ${LISTED_DAYS} days.`,
  });
  const noted = notes.filter(isAboutApp(chosen.app));
  const headings = ['Alert', 'Severity', 'Started', 'Ended'];
  const cells = rows.map((each) => rowOf(each, viewer));
  const body = html`<h1>Timeline</h1>
<p class="lead">When alerts fired, newest first: ${LISTED_DAYS} days, and the last ${REMEMBERED_INCIDENTS} incidents of each alert. <a href="/deliveries">Deliveries</a> lists messages.</p>
${around(table('Incidents, newest first', headings, cells, 'incidents'))}
${noted.length > 0 && notesSection(noted, viewer, sharedZone(deployed.rules))}
${unreadNote(deployed)}`;
  return { title: 'Timeline', body };
}

export interface RuleIncident extends Incident {
  rule: Rule;
  key: AlertKey;
}

/** The listed incidents, newest first. Leaves out the alert of a whole rule with segments. */
export function incidentsOfRules(
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
