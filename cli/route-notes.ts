import { appAddressee } from '../shared/alerting/app-alert.ts';
import { didYouMean } from '../shared/alerting/nearest-words.ts';
import { type Addressee, type Routes, routeFor } from '../shared/alerting/routes.ts';
import { hasSegments, type Rule } from '../shared/alerting/rule.ts';
import { type Match, type Matched, matches } from '../shared/alerting/silences.ts';

type Route = Routes['routes'][number];

const KEYS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;

/** Stands for the text that `*` stands for: nobody writes it into a pattern. */
const ANY_TEXT = '\u0000';

/** What is right in the routes but probably not meant: routes that no rule takes, and channels that hear nothing. */
export function routeNotes(rules: Rule[], routes: Routes): string[] {
  const taken = routes.routes.filter((route) =>
    addresseesFor(route, rules).some((each) => routeFor(each, routes).route === route.name),
  );
  const idle = routes.routes.filter((route) => !taken.includes(route));
  const rest = Array.isArray(routes.default) ? routes.default : routes.default.channels;
  const heard = new Set([...rest, ...taken.flatMap(({ channels }) => channels)]);
  return [
    ...idle.map((route) => `route ${route.name} is taken by no rule (${whyIdle(route, rules, routes)})`),
    ...Object.keys(routes.channels)
      .filter((name) => !heard.has(name))
      .map((name) => `channel ${name} hears nothing`),
  ];
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
