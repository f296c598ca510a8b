import { type Routes, routesAtAnyTime } from '../notifications/routes.ts';
import type { Rule } from '../rules/rule.ts';
import { type Cadence, cadenceName, nextRun } from '../time/cadence.ts';
import { type Calendars, coveredSpans } from '../time/route-calendar.ts';
import { DAY_MS } from '../units/durations.ts';
import { aboutRule, type Finding } from './findings.ts';

/** A month of each half of the year: the zones of the rule and of the calendar may change their clocks apart. */
const HALVES: [month: number, name: string][] = [
  [0, 'January'],
  [6, 'July'],
];

/** More runs a day reach every hour that a calendar covers. */
const MOST_RUNS_A_DAY = 24;

/** Rules that run only while a route of theirs is not active, all year or in one half of it. */
export function inactiveFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  const { calendars } = routes;
  return routes.routes.flatMap(({ name, active }) => {
    if (!active?.every((each) => isWeekly(calendars[each]))) return [];
    const takers = rules.filter(
      (rule) => !rule.quiet && routesAtAnyTime(rule, routes).some((route) => route.name === name),
    );
    // Thousands of rules share a few cadences.
    const alike = [...Map.groupBy(takers, ({ cadence }) => cadenceName(cadence)).values()];
    return alike.flatMap((same) => {
      const [first] = same;
      const months = HALVES.filter(
        ([month]) => first && runsOutside(first.cadence, { active, calendars, from: middleOf(month, now) }),
      ).map(([, month]) => month);
      if (months.length === 0) return [];
      const when = months.length === HALVES.length ? 'always' : `in ${months.join()}`;
      return same.flatMap(({ id, every, zone }) => {
        const message = `runs "${every}" (${zone}), which is ${when} outside "active" (${active.join(' or ')}) of the route ${name}, so that route gets none of its alerts then; run it at another time, or use a route without "active"`;
        return aboutRule(id, [{ code: 'runs-outside-active', path: ['every'], message }]);
      });
    });
  });
}

const middleOf = (month: number, now: number): number => Date.UTC(new Date(now).getUTCFullYear(), month, 12);

/** Only the times of a week are certain. Holidays are left out, and `except` only shortens a calendar. */
function isWeekly(calendar: Calendars[string] | undefined): boolean {
  return calendar !== undefined && calendar.weekly.length > 0 && !calendar.holidays;
}

interface ActiveTimes {
  active: string[];
  calendars: Calendars;
  from: number;
}

/** Whether all runs of a week are outside the calendars. Runs on days of a month fall on any weekday. */
function runsOutside(cadence: Cadence, { active, calendars, from }: ActiveTimes): boolean {
  const { hours, minutes, days, months } = cadence;
  if (days || months || (hours?.length ?? 24) * (minutes?.length ?? 60) > MOST_RUNS_A_DAY) return false;
  const week = { startAt: from, endAt: from + 8 * DAY_MS };
  // Without exceptions, as a holiday in this week is a working day in another.
  const plain = Object.fromEntries(
    Object.entries(calendars).map(([name, each]) => [name, { ...each, except: [] }]),
  );
  const spans = active.flatMap((name) => coveredSpans(name, plain, week));
  for (let at = nextRun(cadence, week.startAt); at < week.endAt; at = nextRun(cadence, at))
    if (spans.some(({ startAt, endAt }) => startAt <= at && at < endAt)) return false;
  return true;
}
