import { html } from 'hono/html';
import { REMEMBERED_INCIDENTS } from '../../../shared/alerting/alerts/alert-states.ts';
import { LISTED_DAYS, type PastIncidents } from '../../../shared/alerting/alerts/past-incidents.ts';
import { alertPath, rulePath } from '../../../shared/alerting/messages/page-paths.ts';
import type { Severity } from '../../../shared/alerting/rules/rule-schema.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { counted } from '../../../shared/pages/table.ts';
import type { Viewer } from '../../../shared/pages/time.ts';
import type { Deployed, Standing } from '../../../shared/responding/alert-status.ts';
import { badge, segmentText } from './alert-parts.ts';
import {
  type Bar,
  type CalendarRow,
  calendarRows,
  type Days,
  dateOf,
  dayOfDate,
  type IncidentDays,
  incidentDays,
} from './calendar.ts';
import {
  aboutFilters,
  chosenIn,
  dateFilters,
  type Filter,
  filtered,
  filterForm,
  noMatch,
} from './filters.ts';
import { paged, pager } from './paging.ts';
import { unreadNote } from './unread-note.ts';

/** Rows on one page. A rule may have a bar every other day. */
const ROWS = 25;
const DAY_MS = 86_400_000;

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const TONES: Record<Severity, string> = { info: 'plain', warning: 'warn', critical: 'bad' };

function timelineFilters({ rules }: Deployed): Filter<IncidentDays>[] {
  return [
    ...aboutFilters(rules, ({ rule }: IncidentDays) => rule),
    {
      ...{ name: 'state', label: 'State', input: ['open', 'ended'] },
      matches: ({ isOpen }, state) => (isOpen ? 'open' : 'ended') === state,
    },
    ...dateFilters(({ from, to }: IncidentDays) => ({ from: dateOf(from), to: dateOf(to) })),
  ];
}

/** The days on which alerts fired, one row for each rule. */
export function timelineView(
  deployed: Deployed & Pick<Standing, 'unread'>,
  alerts: PastIncidents[],
  { page, ...query }: Record<string, string>,
  viewer: Viewer,
): View {
  const filters = timelineFilters(deployed);
  const chosen = chosenIn(query, filters);
  const all = incidentDays(alerts, deployed.byId, viewer.now);
  const listed = daysUpTo(Math.max(Math.floor(viewer.now / DAY_MS), ...all.map(({ to }) => to)));
  const items = all.filter(({ to }) => to >= listed.first);
  const days = {
    first: Math.max(listed.first, dayOfDate(chosen.from) ?? listed.first),
    last: Math.min(listed.last, dayOfDate(chosen.to) ?? listed.last),
  };
  const rows = calendarRows(filtered(items, filters, chosen), days);
  const list = paged(rows, page, ROWS);
  const body = html`<h1>Timeline</h1>
<p class="lead">The days on which alerts fired, by rule, in the zone of the rule. It covers ${LISTED_DAYS} days and the last ${REMEMBERED_INCIDENTS} incidents of each alert. <a href="/deliveries">Deliveries</a> lists messages.</p>
${filterForm('/timeline', filters, chosen)}
${rows.length > 0 && calendar(list.rows, days)}
${rows.length === 0 && items.length > 0 && noMatch({ items, filters, chosen }, '/timeline', 'incident')}
${items.length === 0 && html`<p class="empty">No alert fired in the last ${LISTED_DAYS} days.</p>`}
${rows.length > 0 && html`<p class="quiet">${counted(rows.length, 'rule')} of ${deployed.rules.length} ${rows.length === 1 ? 'has' : 'have'} incidents in these days.</p>`}
${pager(list, '/timeline', chosen)}
${unreadNote(deployed)}`;
  return { title: 'Timeline', body };
}

function daysUpTo(last: number): Days {
  return { first: last - LISTED_DAYS + 1, last };
}

/** Scrolls in its own box on narrow screens, beginning at the newest day. */
function calendar(rows: CalendarRow[], days: Days): Html {
  return html`<div class="calendar" role="region" aria-label="Incidents by rule and day" tabindex="0"><table>
<caption>Incidents by rule and day</caption>
<colgroup><col class="name"><col span="${days.last - days.first + 1}"></colgroup>
<thead><tr><th scope="col">Rule</th>${weeksOf(days).map(
    ({ first, last }) =>
      html`<th scope="col" colspan="${last - first + 1}">${hasRoom({ first, last }, days) ? dayText(first) : html`<span class="hidden">${dayText(first)}</span>`}</th>`,
  )}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${nameCell(row)}${cellsOf(row, days)}</tr>`)}</tbody>
</table></div>`;
}

/** A label needs 6 of the 90 days that the table shows at its least width. */
const LEAST_SHARE = 6 / 90;

function hasRoom(week: Days, all: Days): boolean {
  return (week.last - week.first + 1) / (all.last - all.first + 1) >= LEAST_SHARE;
}

/** The days in weeks from Monday to Sunday. The first and the last may be shorter. */
export function weeksOf({ first, last }: Days): Days[] {
  const weeks: Days[] = [];
  for (let day = first; day <= last; ) {
    // 1 January 1970 was a Thursday.
    const sunday = day + 6 - ((day + 3) % 7);
    weeks.push({ first: day, last: Math.min(sunday, last) });
    day = sunday + 1;
  }
  return weeks;
}

function nameCell({ rule, isOpen }: CalendarRow): Html {
  return html`<th scope="row"><a href="${rulePath(rule.id)}">${rule.title}</a> ${badge(rule.severity)}${isOpen && html` ${badge('firing')}`}</th>`;
}

function cellsOf({ rule, bars }: CalendarRow, { first, last }: Days): Html[] {
  const cells: Html[] = [];
  let next = first;
  for (const bar of bars) {
    if (bar.from > next) cells.push(html`<td colspan="${bar.from - next}"></td>`);
    cells.push(
      html`<td colspan="${bar.to - bar.from + 1}"><a class="days ${TONES[rule.severity]}" href="${pathOf(bar)}" title="${barText(bar)}"></a></td>`,
    );
    next = bar.to + 1;
  }
  if (next <= last) cells.push(html`<td colspan="${last - next + 1}"></td>`);
  return cells;
}

/** The alert, or the rule of several. */
function pathOf({ keys }: Bar): string {
  const [first, ...others] = keys;
  if (!first) return '/timeline';
  return others.length === 0 ? alertPath(first) : `${rulePath(first.ruleId)}#segments`;
}

/** "3 Mar to 5 Mar, Malta", "3 Mar, 4 segments". */
function barText({ from, to, keys }: Bar): string {
  const days = from === to ? dayText(from) : `${dayText(from)} to ${dayText(to)}`;
  const [first] = keys;
  if (keys.length > 1) return `${days}, ${counted(keys.length, 'segment')}`;
  return first?.segment == null ? days : `${days}, ${segmentText(first.segment)}`;
}

function dayText(day: number): string {
  return DATE.format(day * DAY_MS);
}
