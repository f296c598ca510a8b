import { appAddressee } from '../alerts/app-alert.ts';
import { timesOfWeek, weekOf } from '../messages/week-text.ts';
import { notifiedWithin, zoneOfRoutes } from '../notifications/notified.ts';
import { type Route, type Routes, routesAtAnyTime, routesFor } from '../notifications/routes.ts';
import { plannedRuns } from '../planning/planned-runs.ts';
import type { Rule } from '../rules/rule.ts';
import { coveredUntil } from '../time/route-calendar.ts';
import { aboutRule, type Finding } from './findings.ts';
import { durationText } from './timing.ts';

/** The number of runs to check: more than a week of daily runs. */
const RUNS_CHECKED = 15;

/** Findings about routes that are muted at times. */
export function quietTimeFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  if (Object.keys(routes.calendars).length === 0) return [];
  return [
    ...rules.flatMap((rule) => muteFindings(rule, routes, now)),
    ...stopFindings(rules, routes),
    ...criticalFindings(rules, routes, now),
  ];
}

/** Rules that run only while their route is muted. Their alerts are delayed, or never sent if they end before. */
function muteFindings(rule: Rule, routes: Routes, now: number): Finding[] {
  if (rule.quiet) return [];
  if (routesAtAnyTime(rule, routes).every(({ mute }) => mute.length === 0)) return [];
  const waits = plannedRuns(rule, now, RUNS_CHECKED).map(({ at }) => waitOf(rule, routes, at));
  if (waits.some(({ wait }) => wait === 0)) return [];
  const names = [...new Set(waits.map(({ route }) => route?.name))].join(' or ');
  const longest = Math.ceil(Math.max(...waits.map(({ wait }) => wait)) / 60_000);
  return aboutRule(rule.id, [
    {
      code: 'route-mute',
      path: ['every'],
      message: `its route ${names} is muted whenever the rule runs, so its alerts are sent up to ${durationText(longest)} late, and never if they end before; run it later, or use a route without "mute"`,
    },
  ]);
}

/** The route on which news found at `at` is sent first, and how long it is muted from then, in milliseconds. */
function waitOf(rule: Rule, routes: Routes, at: number): { route: Route | undefined; wait: number } {
  const waits = routesFor(rule, routes, at).map((route) => {
    const until = route.mute.map((name) => coveredUntil(name, routes.calendars, at) ?? at);
    return { route, wait: Math.max(at, ...until) - at };
  });
  const [first] = waits.toSorted((a, b) => a.wait - b.wait);
  return first ?? { route: undefined, wait: 0 };
}

/** Critical rules for which nobody is notified at some times of this week. */
function criticalFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  const critical = rules.filter(({ severity, quiet }) => severity === 'critical' && !quiet);
  const routesOf = (rule: Rule) => routesAtAnyTime(rule, routes);
  const muted = critical.filter((rule) => routesOf(rule).some(({ mute }) => mute.length > 0));
  // Rules with the same routes have the same times.
  const alike = Map.groupBy(muted, (rule) =>
    [rule.zone, ...routesOf(rule).map(({ name }) => name)].join(' '),
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    const message = first && gapsText(first, routes, now);
    if (!message) return [];
    return group.flatMap(({ id }) =>
      aboutRule(id, [{ code: 'critical-muted', path: ['severity'], message }]),
    );
  });
}

function gapsText(rule: Rule, routes: Routes, now: number): string | undefined {
  const zone = zoneOfRoutes(rule, routes, rule.zone);
  const gaps = notifiedWithin(rule, routes, weekOf(now, zone)).filter(
    ({ receivers }) => receivers.length === 0,
  );
  if (gaps.length === 0) return undefined;
  const names = [...new Set(gaps.flatMap(({ muted }) => muted.map(({ route }) => route)))].join(' and ');
  const times = timesOfWeek(gaps, zone).join('; ');
  return `the rule is critical, but nobody is notified at once ${times} (${zone}), as its route ${names} is muted; add a route without "mute" that is active then`;
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
