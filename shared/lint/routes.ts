import { type Addressee, appAddressee } from '../alerts/app-alert.ts';
import { DEFAULT } from '../notifications/route-faults.ts';
import { type Routes, routesAtAnyTime, settingsOf } from '../notifications/routes.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { type Match, type Matched, matches } from '../silences/matching.ts';
import { didYouMean } from '../text/nearest-words.ts';
import type { Code, Finding, Path } from './findings.ts';

type Route = Routes['routes'][number];

const KEYS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;

/** Replaces `*` in a pattern. No pattern contains it. */
const ANY_TEXT = '\u0000';

/** Routes, calendars and channels that nothing uses. */
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
  const about = (code: Code, path: Path, message: string): Finding => ({ of: 'routes', code, path, message });
  return [
    ...routes.routes.flatMap((route, i) =>
      taken.includes(route)
        ? []
        : about(
            'route-idle',
            ['routes', i, 'match'],
            `no rule uses the route ${route.name} (${whyIdle(route, rules, routes)})`,
          ),
    ),
    ...unusedCalendars(routes).map((name) =>
      about(
        'calendar-idle',
        ['calendars', name],
        `no route and no calendar uses the calendar ${name}; remove it, or name it in "active", "mute" or "except"`,
      ),
    ),
    ...Object.keys(routes.channels)
      .filter((name) => !used.has(name))
      .map((name) =>
        about(
          'channel-idle',
          ['channels', name],
          `no active route uses the channel ${name}; remove it, or add it to a route`,
        ),
      ),
  ];
}

function unusedCalendars(routes: Routes): string[] {
  const used = [
    ...[settingsOf(DEFAULT, routes), ...routes.routes].flatMap(({ mute }) => mute),
    ...routes.routes.flatMap(({ active = [] }) => active),
    ...Object.values(routes.calendars).flatMap(({ except = [] }) => except),
  ];
  return Object.keys(routes.calendars).filter((name) => !used.includes(name));
}

/** All rules, apps and segments that could use the route. Segments are not known yet, so those in its `match` stand in. */
function addresseesFor({ match }: Route, rules: Rule[]): Addressee[] {
  const apps = [...Map.groupBy(rules, ({ app }) => app)];
  const segments = patternsOf(match.segment).map((pattern) => pattern.replaceAll('*', ANY_TEXT));
  return [
    ...rules,
    ...apps.map(([app, ofApp]) => appAddressee(app, ofApp)),
    ...rules.filter(hasSegments).flatMap((rule) => segments.map((segment) => ({ ...rule, segment }))),
  ];
}

function whyIdle(route: Route, rules: Rule[], routes: Routes): string {
  const addressees = addresseesFor(route, rules);
  const matching = addressees.filter((each) => matches(route.match, matchedOf(each)));
  const takers = new Set(matching.flatMap((each) => routesAtAnyTime(each, routes).map(({ name }) => name)));
  const before = routes.routes.map(({ name }) => name).filter((name) => takers.has(name));
  if (before.length > 0)
    return `${before.join(' and ')} before it already ${before.length === 1 ? 'matches' : 'match'} all of it`;
  const faults = KEYS.flatMap((key) => faultsOf(key, route.match, addressees.map(matchedOf)));
  return faults.join(', ') || 'no rule has all values of its "match"';
}

function matchedOf({ id: rule, app, owner, severity, segment = null }: Addressee): Matched {
  return { app, rule, owner, severity, segment };
}

/** Faults of one key of a match. Empty if anything matches it. */
function faultsOf(key: keyof Match, match: Route['match'], all: Matched[]): string[] {
  const asked = match[key];
  if (asked === undefined || all.some((each) => matches({ [key]: asked }, each))) return [];
  if (key === 'segment') return ['no rule has segments'];
  const known = [...new Set(all.flatMap((each) => each[key] ?? []))];
  return patternsOf(asked).map((pattern) => `${UNKNOWN[key](pattern)}${didYouMean(pattern, known)}`);
}

const UNKNOWN = {
  app: (name: string) => `no rule has the app "${name}"`,
  rule: (name: string) => `there is no rule "${name}"`,
  owner: (name: string) => `no rule has the owner "${name}"`,
  severity: (name: string) => `no rule has the severity "${name}"`,
};

function patternsOf(pattern: string | string[] | undefined): string[] {
  return [pattern ?? []].flat();
}
