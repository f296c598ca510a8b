import { html } from 'hono/html';
import { REMEMBERED_INCIDENTS } from '../../../shared/alerts/alert-states.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import { LISTED_DAYS, type PastIncidents } from '../../../shared/alerts/past-incidents.ts';
import { rulePath } from '../../../shared/messages/page-paths.ts';
import type { Html, View } from '../../../shared/pages/html.ts';
import { sharedZone, type Viewer } from '../../../shared/pages/time.ts';
import type { Deployed, Status } from '../../../shared/responding/alert-status.ts';
import type { Severity } from '../../../shared/rules/rule-schema.ts';
import { counted } from '../../../shared/text/counted.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
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
  incidentPath,
  type NoteDay,
  notesWithin,
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
import { notesList } from './notes-section.ts';
import { paged, pager } from './paging.ts';
import { unreadNote } from './unread-note.ts';

/** Rows on one page. A rule may have a bar every other day. */
const ROWS = 25;
/** Notes in the title of a mark. */
const TITLED = 3;

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

interface Seen extends Deployed, Pick<Status, 'unread'> {
  incidents: PastIncidents[];
  /** The newest first. */
  notes: Note[];
}

/** The days on which alerts fired, one row for each rule, and notes. */
export function timelineView(
  { incidents, notes, ...deployed }: Seen,
  { page, ...query }: Record<string, string>,
  viewer: Viewer,
): View {
  const filters = timelineFilters(deployed);
  const chosen = chosenIn(query, filters);
  const all = incidentDays(incidents, deployed.byId, viewer.now);
  const listed = daysUpTo(Math.max(Math.floor(viewer.now / DAY_MS), ...all.map(({ to }) => to)));
  const items = all.filter(({ to }) => to >= listed.first);
  const days = {
    first: Math.max(listed.first, dayOfDate(chosen.from) ?? listed.first),
    last: Math.min(listed.last, dayOfDate(chosen.to) ?? listed.last),
  };
  const rows = calendarRows(filtered(items, filters, chosen), days);
  const list = paged(rows, page, ROWS);
  const noted = notesWithin(notes, days, {
    app: chosen.app,
    zone: viewer.zone ?? sharedZone(deployed.rules),
  });
  const body = html`<h1>Timeline</h1>
<p class="lead">The days on which alerts fired, by rule, in the zone of the rule. It covers ${LISTED_DAYS} days and the last ${REMEMBERED_INCIDENTS} incidents of each alert. <a href="/deliveries">Deliveries</a> lists messages.</p>
${filterForm('/timeline', filters, chosen)}
${rows.length > 0 && calendar(list.rows, noted, days, viewer.now)}
${rows.length === 0 && items.length > 0 && noMatch({ items, filters, chosen }, '/timeline', 'incident')}
${items.length === 0 && html`<p class="empty">No alert fired in the last ${LISTED_DAYS} days.</p>`}
${rows.length > 0 && html`<p class="quiet">${counted(rows.length, 'rule')} of ${deployed.rules.length} ${rows.length === 1 ? 'has' : 'have'} incidents in these days.</p>`}
${pager(list, '/timeline', chosen)}
${notesList(
  noted.map(({ note }) => note),
  viewer,
  sharedZone(deployed.rules),
)}
${unreadNote(deployed)}`;
  return { title: 'Timeline', body };
}

function daysUpTo(last: number): Days {
  return { first: last - LISTED_DAYS + 1, last };
}

/** Scrolls in its own box on narrow screens, beginning at the newest day. */
function calendar(rows: CalendarRow[], notes: NoteDay[], days: Days, now: number): Html {
  return html`<div class="calendar" role="region" aria-label="Incidents by rule and day" tabindex="0"><table>
<caption>Incidents by rule and day</caption>
<colgroup><col class="name"><col span="${days.last - days.first + 1}"></colgroup>
<thead><tr><th scope="col">Rule</th>${weeksOf(days).map(
    ({ first, last }) =>
      html`<th scope="col" colspan="${last - first + 1}">${hasRoom({ first, last }, days) ? dayText(first) : html`<span class="hidden">${dayText(first)}</span>`}</th>`,
  )}</tr></thead>
<tbody>${notesRow(notes, days)}${rows.map((row) => html`<tr>${nameCell(row)}${cellsOf(row, days, now)}</tr>`)}</tbody>
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

function cellsOf({ rule, bars }: CalendarRow, days: Days, now: number): Html[] {
  const marks = bars.map((bar) => ({
    ...bar,
    mark: html`<a class="days ${TONES[rule.severity]}" href="${pathOf(bar, now)}" title="${barText(bar)}"></a>`,
  }));
  return cellsWith(marks, days);
}

/** The cells of a row: those of the marks, which are in order, and those between them. */
function cellsWith(marks: { from: number; to: number; mark: Html }[], { first, last }: Days): Html[] {
  const cells: Html[] = [];
  let next = first;
  for (const { from, to, mark } of marks) {
    if (from > next) cells.push(html`<td colspan="${from - next}"></td>`);
    cells.push(html`<td colspan="${to - from + 1}">${mark}</td>`);
    next = to + 1;
  }
  if (next <= last) cells.push(html`<td colspan="${last - next + 1}"></td>`);
  return cells;
}

/** One mark for each day with notes; no row without notes. */
function notesRow(notes: NoteDay[], days: Days): Html | undefined {
  if (notes.length === 0) return undefined;
  const byDay = [...Map.groupBy(notes.toReversed(), ({ day }) => day)];
  const marks = byDay.map(([day, own]) => {
    const texts = own.slice(0, TITLED).map(({ note }) => note.text);
    const more = own.length > TITLED ? [`${own.length - TITLED} more`] : [];
    const title = `${dayText(day)}: ${[...texts, ...more].join('; ')}`;
    return { from: day, to: day, mark: html`<a class="days" href="#notes" title="${title}"></a>` };
  });
  return html`<tr><th scope="row"><a href="#notes">Notes</a></th>${cellsWith(marks, days)}</tr>`;
}

/** The alert, or the rule of several. */
function pathOf({ keys, to }: Bar, now: number): string {
  const [first, ...others] = keys;
  if (!first) return '/timeline';
  return others.length > 0
    ? `${rulePath(first.ruleId)}#segments`
    : incidentPath(first, (to + 1) * DAY_MS, now);
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
