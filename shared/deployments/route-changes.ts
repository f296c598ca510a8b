import { type Routes, routesAtAnyTime, settingsOf } from '../notifications/routes.ts';
import { type NamedChange, namedChanges } from '../rules/field-changes.ts';
import type { Rule } from '../rules/rule.ts';

/** A rule, by its id, that notifies other channels than before. Routes that match segments may differ further. */
interface Redirected {
  rule: string;
  before: string[];
  after: string[];
}

/** Changes of channels, calendars and routes. */
export interface RouteChanges {
  channels: NamedChange[];
  calendars: NamedChange[];
  /** Includes the default route. */
  routes: NamedChange[];
  /** Whether the remaining routes are in another order. The order matters: the first match wins. */
  routesReordered: boolean;
  /** The digest, by its cadence. */
  digest: NamedChange[];
  redirected: Redirected[];
}

/** `rules`: those that are active before and after the change. */
export function routeChanges(before: Routes, after: Routes, rules: Rule[]): RouteChanges {
  return {
    channels: namedChanges(before.channels, after.channels),
    calendars: namedChanges(before.calendars, after.calendars),
    routes: namedChanges(settingsByName(before), settingsByName(after)),
    routesReordered: isReordered(before, after),
    digest: namedChanges(digestByName(before), digestByName(after)),
    redirected: rules.flatMap((rule): Redirected[] => {
      const [was, is] = [channelsOf(rule, before), channelsOf(rule, after)];
      return was.join() === is.join() ? [] : [{ rule: rule.id, before: was, after: is }];
    }),
  };
}

/** The channels that the rule notifies at some time. */
function channelsOf(rule: Rule, routes: Routes): string[] {
  return [...new Set(routesAtAnyTime(rule, routes).flatMap(({ channels }) => channels))];
}

function settingsByName(routes: Routes): Record<string, object> {
  const named = routes.routes.map(({ name, ...settings }): [string, object] => [name, settings]);
  return { ...Object.fromEntries(named), default: settingsOf('default', routes) };
}

function digestByName({ digest }: Routes): Record<string, object> {
  return digest ? { [`every ${digest.every} (${digest.zone})`]: { channels: digest.channels } } : {};
}

function isReordered(before: Routes, after: Routes): boolean {
  const namesOf = ({ routes }: Routes, other: Routes) =>
    routes.map(({ name }) => name).filter((name) => other.routes.some((each) => each.name === name));
  return namesOf(before, after).join() !== namesOf(after, before).join();
}
