import { appAddressee } from '../alerts/app-alert.ts';
import { timesOfWeek, weekOf } from '../messages/week-text.ts';
import { notifiedWithin, zoneOfRoutes } from '../notifications/notified.ts';
import { type Routes, routesAtAnyTime } from '../notifications/routes.ts';
import type { Rule } from '../rules/rule.ts';
import { type Cadence, cadenceName, nextRun } from '../time/cadence.ts';
import { type Calendars, coveredSpans } from '../time/route-calendar.ts';
import { DAY_MS } from '../units/durations.ts';
import { aboutRule, type Finding } from './findings.ts';

/** Two weeks, in summer and in winter: the zones of the rule and the calendar may change their clocks apart. */
const WEEKS_AFTER_DAYS = [0, 182];

/** More runs a day reach every hour that a calendar covers. */
const MOST_RUNS_A_DAY = 24;

/** Findings about routes that are muted or inactive at times. */
export function routeTimeFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  if (Object.keys(routes.calendars).length === 0) return [];
  return [
    ...stopFindings(rules, routes),
    ...criticalFindings(rules, routes, now),
    ...inactiveFindings(rules, routes, now),
  ];
}

/** Rules that run only while a route of theirs is not active. */
function inactiveFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  const { calendars } = routes;
  return routes.routes.flatMap(({ name, active }) => {
    if (!active?.every((each) => isWeekly(calendars[each]))) return [];
    const takers = rules.filter(
      (rule) => !rule.quiet && routesAtAnyTime(rule, routes).some((route) => route.name === name),
    );
    // Thousands of rules share a few cadences.
    const alike = [...Map.groupBy(takers, ({ cadence }) => cadenceName(cadence)).values()];
    const outside = alike.filter(
      ([first]) => first && runsOutside(first.cadence, { active, calendars, now }),
    );
    return outside.flat().flatMap(({ id, every, zone }) => {
      const message = `runs "${every}" (${zone}), always outside "active" (${active.join(' or ')}) of the route ${name}, so that route gets none of its alerts; run it at another time, or use a route without "active"`;
      return aboutRule(id, [{ code: 'runs-outside-active', path: ['every'], message }]);
    });
  });
}

/** Only the times of a week are certain. Holidays are left out, and `except` only shortens a calendar. */
function isWeekly(calendar: Calendars[string] | undefined): boolean {
  return calendar !== undefined && calendar.weekly.length > 0 && !calendar.holidays;
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

/** Critical rules for which nobody is notified at some times of this week. */
function criticalFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  return rules.flatMap((rule) => {
    const isMuted = () => routesAtAnyTime(rule, routes).some(({ mute }) => mute.length > 0);
    if (rule.severity !== 'critical' || rule.quiet || !isMuted()) return [];
    const zone = zoneOfRoutes(rule, routes, rule.zone);
    const spans = notifiedWithin(rule, routes, weekOf(now, zone));
    const gaps = spans.filter(({ receivers }) => receivers.length === 0);
    if (gaps.length === 0) return [];
    const names = [...new Set(gaps.flatMap(({ muted }) => muted.map(({ route }) => route)))].join(' and ');
    const times = timesOfWeek(gaps, zone).join('; ');
    const message = `the rule is critical, but nobody is notified at once ${times} (${zone}), as its route ${names} is muted; add a route without "mute" that is active then`;
    return aboutRule(rule.id, [{ code: 'critical-muted', path: ['severity'], message }]);
  });
}

/** An app without data is critical, and its alert should be sent at any time. */
function stopFindings(rules: Rule[], routes: Routes): Finding[] {
  return [...Map.groupBy(rules, ({ app }) => app)].flatMap(([app, ofApp]) => {
    const muted = routesAtAnyTime(appAddressee(app, ofApp), routes).filter(({ mute }) => mute.length > 0);
    return muted.map(({ name, mute }): Finding => {
      const at = routes.routes.findIndex((each) => each.name === name);
      return {
        of: 'routes',
        code: 'stop-muted',
        path: at < 0 ? ['default', 'mute'] : ['routes', at, 'mute'],
        message: `this route also gets the alert that ${app} sends no data, and mutes it during ${mute.join(' or ')}; add a route without "mute" before it that matches { rule: "app:${app}" }`,
      };
    });
  });
}
