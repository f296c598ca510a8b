import { appAddressee } from '../alerts/app-alert.ts';
import { type Routes, routesAtAnyTime } from '../notifications/routes.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { type Cadence, cadenceName, nextRun } from '../time/cadence.ts';
import { type Calendars, coveredSpans } from '../time/route-calendar.ts';
import { DAY_MS } from '../units/durations.ts';
import { aboutRule, type Finding } from './findings.ts';

type ActiveRoute = Routes['routes'][number] & { active: string[] };

/** Two weeks, in summer and in winter: the zones of the rule and the calendar may change their clocks apart. */
const WEEKS_AFTER_DAYS = [0, 182];

/** More runs a day reach every hour that a calendar covers. */
const MOST_RUNS_A_DAY = 24;

/** Rules that run only while a route of theirs is not active, and routes that thus get nothing. */
export function activeTimeFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  const loud = rules.filter(({ quiet }) => !quiet);
  return routes.routes.flatMap((route, i) => {
    const { name, active } = route;
    if (!active?.every((each) => isWeekly(routes.calendars[each]))) return [];
    const known = new Map<string, boolean>();
    const isOutside = ({ cadence }: Rule) => {
      const key = cadenceName(cadence);
      const outside = known.get(key) ?? runsOutside(cadence, { active, calendars: routes.calendars, now });
      known.set(key, outside);
      return outside;
    };
    const takers = loud.filter((rule) => isRouteOf(rule, route, routes));
    const outside = takers.filter(isOutside);
    const isIdle = takers.length > 0 && senders(loud, route, routes).every(isOutside);
    const where = `"active" (${active.join(' or ')}) of the route ${name}`;
    const unreached: Finding[] = isIdle
      ? [
          {
            of: 'routes',
            code: 'active-unreached',
            path: ['routes', i, 'active'],
            message: `the route ${name} gets no alerts: each of its rules (${outside.map(({ id }) => id).join(', ')}) runs only outside ${active.join(' and ')}; use other times, or "mute" to send alerts later`,
          },
        ]
      : [];
    return [
      ...outside.flatMap((rule) =>
        aboutRule(rule.id, [
          {
            code: 'runs-outside-active',
            path: ['every'],
            message: `runs "${rule.every}" (${rule.zone}), always outside ${where}, so that route gets none of its alerts; run it at another time, or use a route without "active"`,
          },
        ]),
      ),
      ...unreached,
    ];
  });
}

/** Only the times of a week are certain. Holidays are left out, and `except` only shortens a calendar. */
function isWeekly(calendar: Calendars[string] | undefined): boolean {
  return calendar !== undefined && calendar.weekly.length > 0 && !calendar.holidays;
}

function isRouteOf(about: Parameters<typeof routesAtAnyTime>[0], route: { name: string }, routes: Routes) {
  return routesAtAnyTime(about, routes).some(({ name }) => name === route.name);
}

/** The rules whose runs may send something on the route: about the rule, one of its segments or its app. */
function senders(rules: Rule[], route: Pick<ActiveRoute, 'name' | 'match'>, routes: Routes): Rule[] {
  const byApp = Map.groupBy(rules, ({ app }) => app);
  const apps = new Set(
    [...byApp].flatMap(([app, own]) => (isRouteOf(appAddressee(app, own), route, routes) ? [app] : [])),
  );
  return rules.filter(
    (rule) =>
      apps.has(rule.app) ||
      isRouteOf(rule, route, routes) ||
      // Segments are not known yet.
      (route.match.segment !== undefined && hasSegments(rule)),
  );
}

interface ActiveTimes {
  active: string[];
  calendars: Calendars;
  now: number;
}

/** Whether it is certain that each run is outside the calendars. Runs on days of a month fall on any weekday. */
function runsOutside(cadence: Cadence, { active, calendars, now }: ActiveTimes): boolean {
  const { hours, minutes, days, months } = cadence;
  if (days || months || (hours?.length ?? 24) * (minutes?.length ?? 60) > MOST_RUNS_A_DAY) return false;
  return WEEKS_AFTER_DAYS.every((later) => {
    const week = { startAt: now + later * DAY_MS, endAt: now + (later + 8) * DAY_MS };
    // Without exceptions, as a holiday in this week is a working day in another.
    const plain = Object.fromEntries(
      Object.entries(calendars).map(([name, each]) => [name, { ...each, except: [] }]),
    );
    const spans = active.flatMap((name) => coveredSpans(name, plain, week));
    for (let at = nextRun(cadence, week.startAt); at < week.endAt; at = nextRun(cadence, at))
      if (spans.some(({ startAt, endAt }) => startAt <= at && at < endAt)) return false;
    return true;
  });
}
