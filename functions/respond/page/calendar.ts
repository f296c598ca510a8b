import type { AlertKey } from '../../../shared/alerts/alert.ts';
import type { Note } from '../../../shared/alerts/note.ts';
import { type Incident, incidentsOf, type PastIncidents } from '../../../shared/alerts/past-incidents.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { hasSegments, type Rule } from '../../../shared/rules/rule.ts';
import { ZoneClock } from '../../../shared/time/zone-clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';

/** The days of one incident, both included. Days are counted since 1970, in the zone of the rule. */
export interface IncidentDays {
  rule: Rule;
  key: AlertKey;
  from: number;
  to: number;
  isOpen: boolean;
}

/** Consecutive days on which alerts of a rule fired, and these alerts. */
export interface Bar {
  from: number;
  to: number;
  keys: AlertKey[];
}

/** A rule with its bars, oldest first. */
export interface CalendarRow {
  rule: Rule;
  bars: Bar[];
  isOpen: boolean;
}

/** An incident of a deployed rule. */
export interface RuleIncident extends Incident {
  rule: Rule;
  key: AlertKey;
}

/** All incidents of deployed rules. Leaves out the alert of a whole rule with segments. */
export function incidentsOfRules(
  alerts: PastIncidents[],
  byId: ReadonlyMap<string, Rule>,
  now: number,
): RuleIncident[] {
  return alerts.flatMap((alert) => {
    const { ruleId, segment } = alert;
    const rule = byId.get(ruleId);
    if (!rule || hasSegments(rule) !== (segment !== null)) return [];
    return incidentsOf(alert, now).map((each) => ({ ...each, rule, key: { ruleId, segment } }));
  });
}

/** The days of all incidents of deployed rules. */
export function incidentDays(
  alerts: PastIncidents[],
  byId: ReadonlyMap<string, Rule>,
  now: number,
): IncidentDays[] {
  const clocks = new Map<string, ZoneClock>();
  return incidentsOfRules(alerts, byId, now).map(({ rule, key, startAt, endAt, isOpen }) => {
    const clock = clocks.get(rule.zone) ?? new ZoneClock(rule.zone);
    clocks.set(rule.zone, clock);
    const dayOf = (at: number) => Math.floor(clock.localOf(at) / DAY_MS);
    return { rule, key, isOpen, from: dayOf(startAt), to: dayOf(Math.max(startAt, endAt - 1)) };
  });
}

/** Charts show at least this many days. */
const CHART_DAYS = 14;

/** The page of an alert, with the chart until some days after an incident that ended too long ago for the last one. */
export function incidentPath(key: AlertKey, endAt: number, now: number): string {
  return endAt > now - CHART_DAYS * DAY_MS ? alertPath(key) : alertPath(key, endAt + 2 * DAY_MS);
}

export interface NoteDay {
  note: Note;
  day: number;
}

/** The notes in these days of a zone, in their order; with an app, its own and those for all apps. */
export function notesWithin(
  notes: Note[],
  { first, last }: Days,
  { app, zone }: { app: string | undefined; zone: string },
): NoteDay[] {
  const clock = new ZoneClock(zone);
  return notes
    .filter((note) => app === undefined || note.app === null || note.app === app)
    .map((note) => ({ note, day: Math.floor(clock.localOf(note.at) / DAY_MS) }))
    .filter(({ day }) => day >= first && day <= last);
}

/** One row for each rule with an incident in the days from `first` to `last`, the most recent first. */
export function calendarRows(incidents: IncidentDays[], { first, last }: Days): CalendarRow[] {
  const shown = incidents.flatMap((each) => {
    const [from, to] = [Math.max(each.from, first), Math.min(each.to, last)];
    return from <= to ? [{ ...each, from, to }] : [];
  });
  return [...Map.groupBy(shown, ({ rule }) => rule)]
    .map(([rule, same]) => ({ rule, bars: barsOf(same), isOpen: same.some(({ isOpen }) => isOpen) }))
    .toSorted((a, b) => lastDayOf(b) - lastDayOf(a) || (a.rule.title < b.rule.title ? -1 : 1));
}

export interface Days {
  first: number;
  last: number;
}

function lastDayOf({ bars }: CalendarRow): number {
  return bars.at(-1)?.to ?? 0;
}

function barsOf(incidents: IncidentDays[]): Bar[] {
  const bars: Bar[] = [];
  for (const { key, from, to } of incidents.toSorted((a, b) => a.from - b.from)) {
    const last = bars.at(-1);
    if (!last || from > last.to + 1) {
      bars.push({ from, to, keys: [key] });
      continue;
    }
    last.to = Math.max(last.to, to);
    if (last.keys.every(({ segment }) => segment !== key.segment)) last.keys.push(key);
  }
  return bars;
}

/** The day as in the address: "2026-03-04". */
export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day of a date such as "2026-03-04"; `undefined` for any other text. */
export function dayOfDate(date: string | undefined): number | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(date ?? '') ? Date.parse(date ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : at / DAY_MS;
}
