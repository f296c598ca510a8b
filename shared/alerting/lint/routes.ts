import { type Addressee, appAddressee } from '../alerts/app-alert.ts';
import { DEFAULT, type Routes, routeFor, settingsOf } from '../notifications/routes.ts';
import { type Match, type Matched, matches } from '../notifications/silences.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { canonical } from '../text/content-hash.ts';
import { didYouMean } from '../text/nearest-words.ts';
import type { Code, Finding, Path } from './findings.ts';

type Route = Routes['routes'][number];

const KEYS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;

/** Stands for the text that `*` stands for: nobody writes it into a pattern. */
const ANY_TEXT = '\u0000';

/** Routes that no rule takes, and channels that hear nothing or everything twice. */
export function routeFindings(rules: Rule[], routes: Routes): Finding[] {
  const taken = routes.routes.filter((route) =>
    addresseesFor(route, rules).some((each) => routeFor(each, routes).route === route.name),
  );
  const rest = settingsOf(DEFAULT, routes);
  const heard = new Set([rest, ...taken].flatMap(({ channels }) => channels));
  const about = (code: Code, path: Path, message: string): Finding => ({ of: 'routes', code, path, message });
  return [
    ...routes.routes.flatMap((route, i) =>
      taken.includes(route)
        ? []
        : about(
            'route-idle',
            ['routes', i, 'match'],
            `route ${route.name} is taken by no rule (${whyIdle(route, rules, routes)})`,
          ),
    ),
    ...Object.keys(routes.channels)
      .filter((name) => !heard.has(name))
      .map((name) =>
        about(
          'channel-idle',
          ['channels', name],
          `channel ${name} hears nothing: no route that is taken names it; take it away, or name it in one`,
        ),
      ),
    ...[rest, ...routes.routes].flatMap(({ channels }, i) =>
      twinsAmong(channels, routes).map(([name, other]) =>
        about(
          'channel-twice',
          i === 0 ? ['default'] : ['routes', i - 1, 'channels'],
          `${other} and ${name} are the same place, which hears everything of this route twice; name one of them`,
        ),
      ),
    ),
  ];
}

/** Channels of different names that lead to the same place, each with the one before it. */
function twinsAmong(names: string[], { channels }: Routes): [name: string, other: string][] {
  const placeOf = (name: string) => canonical(channels[name]);
  return names.flatMap((name, i): [string, string][] => {
    const other = names.slice(0, i).find((each) => placeOf(each) === placeOf(name));
    return other === undefined ? [] : [[name, other]];
  });
}

/** All that could take the route. Which segments a rule will have is not known: they are those that it asks for. */
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
  const takers = new Set(matching.map((each) => routeFor(each, routes).route));
  const before = routes.routes.map(({ name }) => name).filter((name) => takers.has(name));
  if (before.length > 0)
    return `${before.join(' and ')} before it ${before.length === 1 ? 'takes' : 'take'} all that it matches`;
  const faults = KEYS.flatMap((key) => faultsOf(key, route.match, addressees.map(matchedOf)));
  return faults.join(', ') || 'no rule is all that its "match" asks for';
}

function matchedOf({ id: rule, app, owner, severity, segment = null }: Addressee): Matched {
  return { app, rule, owner, severity, segment };
}

/** What is wrong with one key of a match, where nothing that there is has what it asks for. */
function faultsOf(key: keyof Match, match: Route['match'], all: Matched[]): string[] {
  const asked = match[key];
  if (asked === undefined || all.some((each) => matches({ [key]: asked }, each))) return [];
  if (key === 'segment') return ['no rule has segments'];
  const known = [...new Set(all.flatMap((each) => each[key] ?? []))];
  return patternsOf(asked).map((pattern) => `${NOBODYS[key](pattern)}${didYouMean(pattern, known)}`);
}

const NOBODYS = {
  app: (name: string) => `no rule is of the app "${name}"`,
  rule: (name: string) => `there is no rule "${name}"`,
  owner: (name: string) => `owner "${name}" is nobody's`,
  severity: (name: string) => `no rule is of severity "${name}"`,
};

function patternsOf(pattern: string | string[] | undefined): string[] {
  return [pattern ?? []].flat();
}
