import * as z from 'zod';
import type { Addressee } from '../alerts/app-alert.ts';
import { channelSchema } from '../channels/kinds.ts';
import { type Matched, matchedOf, matches } from '../silences/matching.ts';
import { coveringAt, routeCalendarSchema } from '../time/route-calendar.ts';
import { digestSchema } from './digest-schedule.ts';
import type { PendingNotification } from './pending.ts';
import { DEFAULT, routeFaults } from './route-faults.ts';
import { name, type RouteEntry, type RouteSettings, routeSchema, settingsSchema } from './route-settings.ts';

/** `rules/routes.yaml`: which channels get which alerts. The first matching route applies, otherwise `default`. */
export const routesSchema = z
  .strictObject({
    $schema: z.string().optional(),
    channels: z.record(name, channelSchema),
    calendars: z
      .record(name, routeCalendarSchema)
      .default({})
      .describe('Times at which routes are muted or active.'),
    default: z
      .union([z.array(name).min(1), settingsSchema], 'write a list of channels, or a map with "channels"')
      .describe(
        'Alerts that match no route go here: a list of channels, or a map with the settings of a route.',
      ),
    routes: z.array(routeSchema).default([]),
    digest: digestSchema.optional(),
  })
  .superRefine((routes, context) => {
    for (const { path, message } of routeFaults(routes)) context.addIssue({ code: 'custom', path, message });
  });

export type Routes = z.output<typeof routesSchema>;

/** A route of the file, or the default. */
export type Route = RouteSettings & { name: string } & Partial<Pick<RouteEntry, 'active' | 'continue'>>;

export interface Receiver {
  channel: string;
  route: string;
}

/**
 * The routes that apply to news about `about` found at `at`: the first that matches and is active, and the next one
 * after each that continues. The default if none does.
 */
export function routesFor(about: Addressee, routes: Routes, at: number): Route[] {
  return routesMatching(matchedBy(about), routes, at);
}

/** The routes that apply at some time, in order. An earlier one takes precedence while it is active. */
export function routesAtAnyTime(about: Addressee, routes: Routes): Route[] {
  const matching = throughLast(
    routes.routes.filter(({ match }) => matches(match, matchedBy(about))),
    (route) => route.active === undefined && !route.continue,
  );
  return matching.every(({ active }) => active !== undefined) ? [...matching, defaultOf(routes)] : matching;
}

/** Each channel once, with the first route that names it. */
export function receiversOf(routes: Route[]): Receiver[] {
  const all = routes.flatMap(({ name: route, channels }) => channels.map((channel) => ({ channel, route })));
  return all.filter(({ channel }, i) => all.findIndex((each) => each.channel === channel) === i);
}

/** The route of a pending notification. If it was renamed or removed, the route that would have applied. */
export function routeOf(
  { notification, ...about }: Pick<PendingNotification, 'alert' | 'notification' | 'rule'>,
  routes: Routes,
): string {
  const { route, channel, since } = notification;
  if (route === DEFAULT || routes.routes.some(({ name }) => name === route)) return route;
  const applying = routesMatching(matchedOf(about), routes, since);
  return (applying.find(({ channels }) => channels.includes(channel)) ?? applying[0])?.name ?? DEFAULT;
}

function routesMatching(subject: Matched, routes: Routes, at: number): Route[] {
  const isActive = ({ active }: Route) =>
    active === undefined || active.some((name) => coveringAt(routes.calendars, at).has(name));
  const applying = throughLast(
    routes.routes.filter((route) => matches(route.match, subject) && isActive(route)),
    (route) => !route.continue,
  );
  return applying.length > 0 ? applying : [defaultOf(routes)];
}

/** The routes up to the first that is the last to apply. */
function throughLast(routes: Route[], isLast: (route: Route) => boolean): Route[] {
  const last = routes.findIndex(isLast);
  return last < 0 ? routes : routes.slice(0, last + 1);
}

function matchedBy({ id: rule, app, owner, severity, segment = null }: Addressee): Matched {
  return { app, rule, owner, severity, segment };
}

/** The settings of a route; those of the default if it was removed. */
export function settingsOf(route: string, routes: Routes): RouteSettings {
  return routes.routes.find(({ name }) => name === route) ?? defaultOf(routes);
}

function defaultOf({ default: given }: Routes): Route {
  const settings = Array.isArray(given) ? { channels: given, group_by: [], mute: [] } : given;
  return { name: DEFAULT, ...settings };
}

/** The channel itself, or the first default channel if it was renamed or removed, so that no notification is lost. */
export function replacementFor(channel: string, routes: Routes): string {
  return Object.hasOwn(routes.channels, channel) ? channel : (defaultOf(routes).channels[0] ?? channel);
}
