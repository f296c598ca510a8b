import { type Addressee, appAddressee, watchedApps } from '../alerts/app-alert.ts';
import { notifiedWithin } from '../notifications/notified.ts';
import { DEFAULT } from '../notifications/route-faults.ts';
import { type Routes, routesAtAnyTime, settingsOf } from '../notifications/routes.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { didYouMean } from '../text/nearest-words.ts';
import { type Cadence, cadenceName, nextRun } from '../time/cadence.ts';
import { type Calendars, coveredSpans } from '../time/route-calendar.ts';
import { DAY_MS } from '../units/durations.ts';
import { aboutRule, type Finding } from './findings.ts';

type Route = Routes['routes'][number];

/** Replaces `*` in a pattern. No pattern contains it. */
const ANY_TEXT = '\u0000';

/** Routes and channels that nothing uses. */
export function routeFindings(rules: Rule[], routes: Routes): Finding[] {
  const taken = routes.routes.filter((route) =>
    addresseesFor(route, rules).some((each) =>
      routesAtAnyTime(each, routes).some(({ name }) => name === route.name),
    ),
  );
  const rest = settingsOf(DEFAULT, routes);
  const used = new Set([
    ...[rest, ...taken].flatMap(({ channels, escalate = [] }) => [
      ...channels,
      ...escalate.flatMap((step) => step.channels),
    ]),
    ...(routes.digest?.channels ?? []),
  ]);
  return [
    ...routes.routes.flatMap((route, i): Finding[] => {
      if (taken.includes(route)) return [];
      const message = `no rule uses the route ${route.name}: ${whyIdle(route, rules)}`;
      return [{ of: 'routes', code: 'route-idle', path: ['routes', i, 'match'], message }];
    }),
    ...Object.keys(routes.channels).flatMap((name): Finding[] => {
      if (used.has(name)) return [];
      const message = `no active route uses the channel ${name}; remove it, or add it to a route`;
      return [{ of: 'routes', code: 'channel-idle', path: ['channels', name], message }];
    }),
  ];
}

/** All rules, apps and segments that could use the route. Segments are not known yet, so those in its `match` stand in. */
function addresseesFor({ match }: Route, rules: Rule[]): Addressee[] {
  const segments = patternsOf(match.segment).map((pattern) => pattern.replaceAll('*', ANY_TEXT));
  return [
    ...rules,
    ...watchedApps(rules).map(appAddressee),
    ...rules.filter(hasSegments).flatMap((rule) => segments.map((segment) => ({ ...rule, segment }))),
  ];
}

function whyIdle(route: Route, rules: Rule[]): string {
  const faults = (['app', 'rule', 'owner'] as const).flatMap((key) => {
    const known = rules.map((rule) => (key === 'rule' ? rule.id : rule[key]));
    return patternsOf(route.match[key])
      .filter((name) => !name.includes('*') && !known.includes(name) && !name.startsWith('app:'))
      .map((name) => `no rule has the ${key === 'rule' ? 'id' : key} "${name}"${didYouMean(name, known)}`);
  });
  return faults.join(', ') || 'its "match" matches none, or routes before it match all of it';
}

function patternsOf(pattern: string | string[] | undefined): string[] {
  return [pattern ?? []].flat();
}

/** Findings about routes that are muted or inactive at times. */
export function routeTimeFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  if (Object.keys(routes.calendars).length === 0) return [];
  return [
    ...stopFindings(rules, routes),
    ...criticalFindings(rules, routes, now),
    ...inactiveFindings(rules, routes, now),
  ];
}

/** Critical rules for which nobody is notified at some times of the next week. */
function criticalFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  return rules.flatMap((rule) => {
    const isMuted = () => routesAtAnyTime(rule, routes).some(({ mute }) => mute.length > 0);
    if (rule.severity !== 'critical' || rule.quiet || !isMuted()) return [];
    const spans = notifiedWithin(rule, routes, { startAt: now, endAt: now + 7 * DAY_MS });
    const gaps = spans.filter(({ receivers }) => receivers.length === 0);
    if (gaps.length === 0) return [];
    const names = [...new Set(gaps.flatMap(({ muted }) => muted.map(({ route }) => route)))].join(' and ');
    const message = `the rule is critical, but nobody is notified at once while its route ${names} is muted; add a route without "mute" that is active then`;
    return aboutRule(rule.id, [{ code: 'critical-muted', path: ['severity'], message }]);
  });
}

/** An app without data is critical, and its alert should be sent at any time. */
function stopFindings(rules: Rule[], routes: Routes): Finding[] {
  return watchedApps(rules).flatMap((watched) => {
    const { app } = watched;
    const muted = routesAtAnyTime(appAddressee(watched), routes).filter(({ mute }) => mute.length > 0);
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

/** A month of each half of the year: the zones of the rule and of the calendar may change their clocks apart. */
const HALVES: [month: number, name: string][] = [
  [0, 'January'],
  [6, 'July'],
];

/** More runs a day reach every hour that a calendar covers. */
const MOST_RUNS_A_DAY = 24;

/** Rules that run only while a route of theirs is not active, all year or in one half of it. */
function inactiveFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
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
