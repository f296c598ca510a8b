import { type Routes, routeFor, settingsOf } from '../notifications/routes.ts';
import { type NamedChange, namedChanges } from '../rules/field-changes.ts';
import type { Rule } from '../rules/rule.ts';

/** A rule whose news other channels hear than before; a segment that a route names may go elsewhere again. */
interface Redirected {
  rule: Rule;
  before: string[];
  after: string[];
}

/** What became of who hears. */
export interface RouteChanges {
  channels: NamedChange[];
  calendars: NamedChange[];
  /** Of the default, too. */
  routes: NamedChange[];
  /** Whether routes that stay are asked in another order: the first that matches is taken. */
  isReordered: boolean;
  redirected: Redirected[];
}

/** `rules`: those that are in force after the change and were before it. */
export function routeChanges(before: Routes, after: Routes, rules: Rule[]): RouteChanges {
  return {
    channels: namedChanges(before.channels, after.channels),
    calendars: namedChanges(before.calendars, after.calendars),
    routes: namedChanges(settingsByName(before), settingsByName(after)),
    isReordered: isReordered(before, after),
    redirected: rules.flatMap((rule): Redirected[] => {
      const [was, is] = [routeFor(rule, before).channels, routeFor(rule, after).channels];
      return was.join() === is.join() ? [] : [{ rule, before: was, after: is }];
    }),
  };
}

function settingsByName(routes: Routes): Record<string, object> {
  const named = routes.routes.map(({ name, ...settings }): [string, object] => [name, settings]);
  return { ...Object.fromEntries(named), default: settingsOf('default', routes) };
}

function isReordered(before: Routes, after: Routes): boolean {
  const namesOf = ({ routes }: Routes, other: Routes) =>
    routes.map(({ name }) => name).filter((name) => other.routes.some((each) => each.name === name));
  return namesOf(before, after).join() !== namesOf(after, before).join();
}
