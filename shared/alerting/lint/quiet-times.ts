import { appAddressee } from '../alerts/app-alert.ts';
import { type Routes, routeFor, settingsOf } from '../notifications/routes.ts';
import { plannedRuns } from '../planning/planned-runs.ts';
import type { Rule } from '../rules/rule.ts';
import { mutedUntil } from '../time/mute-calendar.ts';
import { aboutRule, type Finding } from './findings.ts';
import { durationText } from './timing.ts';

/** As many runs as a week has days, and more. */
const RUNS_LOOKED_AT = 15;

/** What is found at times when nobody is told. */
export function quietTimeFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  if (Object.keys(routes.calendars).length === 0) return [];
  return [...rules.flatMap((rule) => muteFindings(rule, routes, now)), ...stopFindings(rules, routes)];
}

/** A rule that runs only while its route is mute: what it finds waits, and is never told if it is over by then. */
function muteFindings(rule: Rule, routes: Routes, now: number): Finding[] {
  if (rule.quiet) return [];
  const { route } = routeFor(rule, routes);
  const { mute } = settingsOf(route, routes);
  const calendars = mute.flatMap((name) => routes.calendars[name] ?? []);
  if (calendars.length === 0) return [];
  const waits = plannedRuns(rule, now, RUNS_LOOKED_AT).map(({ at }) => {
    const until = Math.max(0, ...calendars.map((calendar) => mutedUntil(calendar, at) ?? 0));
    return until > at ? until - at : 0;
  });
  if (waits.some((wait) => wait === 0)) return [];
  const longest = Math.ceil(Math.max(...waits) / 60_000);
  return aboutRule(rule.id, [
    {
      code: 'route-mute',
      path: ['every'],
      message: `its route ${route} is mute whenever it runs, so what it finds is told up to ${durationText(longest)} later, and never if it is over by then; let it run later, or take a route that is not mute`,
    },
  ]);
}

/** That an app sends nothing is the loudest thing, and should be told at any time. */
function stopFindings(rules: Rule[], routes: Routes): Finding[] {
  return [...Map.groupBy(rules, ({ app }) => app)].flatMap(([app, ofApp]): Finding[] => {
    const { route } = routeFor(appAddressee(app, ofApp), routes);
    const { mute } = settingsOf(route, routes);
    if (mute.length === 0) return [];
    const at = routes.routes.findIndex(({ name }) => name === route);
    return [
      {
        of: 'routes',
        code: 'stop-muted',
        path: at < 0 ? ['default', 'mute'] : ['routes', at, 'mute'],
        message: `that ${app} sends nothing at all is told on this route too, and to nobody while ${mute.join(' or ')} is on; match { rule: "app:${app}" } in a route before it that is not mute`,
      },
    ];
  });
}
