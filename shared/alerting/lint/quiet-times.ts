import { appAddressee } from '../alerts/app-alert.ts';
import { type Routes, routeFor, settingsOf } from '../notifications/routes.ts';
import { plannedRuns } from '../planning/planned-runs.ts';
import type { Rule } from '../rules/rule.ts';
import { mutedUntil } from '../time/mute-calendar.ts';
import { aboutRule, type Finding } from './findings.ts';
import { durationText } from './timing.ts';

/** The number of runs to check: more than a week of daily runs. */
const RUNS_CHECKED = 15;

/** Findings about routes that are muted at times. */
export function quietTimeFindings(rules: Rule[], routes: Routes, now: number): Finding[] {
  if (Object.keys(routes.calendars).length === 0) return [];
  return [...rules.flatMap((rule) => muteFindings(rule, routes, now)), ...stopFindings(rules, routes)];
}

/** Rules that run only while their route is muted. Their alerts are delayed, or never sent if they end before. */
function muteFindings(rule: Rule, routes: Routes, now: number): Finding[] {
  if (rule.quiet) return [];
  const { route } = routeFor(rule, routes);
  const { mute } = settingsOf(route, routes);
  const calendars = mute.flatMap((name) => routes.calendars[name] ?? []);
  if (calendars.length === 0) return [];
  const waits = plannedRuns(rule, now, RUNS_CHECKED).map(({ at }) => {
    const until = Math.max(0, ...calendars.map((calendar) => mutedUntil(calendar, at) ?? 0));
    return until > at ? until - at : 0;
  });
  if (waits.some((wait) => wait === 0)) return [];
  const longest = Math.ceil(Math.max(...waits) / 60_000);
  return aboutRule(rule.id, [
    {
      code: 'route-mute',
      path: ['every'],
      message: `its route ${route} is muted whenever the rule runs, so its alerts are sent up to ${durationText(longest)} late, and never if they end before; run it later, or use a route without "mute"`,
    },
  ]);
}

/** An app without data is critical, and its alert should be sent at any time. */
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
        message: `this route also gets the alert that ${app} sends no data, and mutes it during ${mute.join(' or ')}; add a route without "mute" before it that matches { rule: "app:${app}" }`,
      },
    ];
  });
}
