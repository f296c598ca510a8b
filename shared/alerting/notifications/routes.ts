import * as z from 'zod';
import type { Addressee } from '../alerts/app-alert.ts';
import { coveringAt } from '../time/route-calendar.ts';
import { routeCalendarSchema } from '../time/route-calendar-schema.ts';
import { channelSchema } from './channels.ts';
import type { PendingNotification } from './pending.ts';
import { DEFAULT, discouraged, wrongNames } from './route-faults.ts';
import { name, type RouteSettings, routeSchema, settingsSchema } from './route-settings.ts';
import { type Matched, matchedOf, matches } from './silences.ts';

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
  })
  .superRefine((routes, context) => {
    for (const { path, message } of wrongNames(routes)) context.addIssue({ code: 'custom', path, message });
  });

/** The stricter schema of the file. Stored routes that predate a check stay readable. */
export const routesFileSchema = routesSchema.superRefine((routes, context) => {
  for (const { path, message } of discouraged(routes)) context.addIssue({ code: 'custom', path, message });
});

export type Routes = z.output<typeof routesSchema>;

/** A route that applies; `active` as in the file. */
export interface Route extends RouteSettings {
  name: string;
  active?: string[] | undefined;
}

/** A channel, and the route that names it. */
export interface Receiver {
  channel: string;
  route: string;
}

/** The route that applies to news about `about` found at `at`: the first that matches and is active, or the default. */
export function routeFor(about: Addressee, routes: Routes, at: number): Route {
  return routeMatching(matchedBy(about), routes, at);
}

/** The channels that news about `about`, found at `at`, goes to. */
export function receiversFor(about: Addressee, routes: Routes, at: number): Receiver[] {
  return receiversOf(routeFor(about, routes, at));
}

/** The routes that apply at some time, in order. An earlier one takes precedence while it is active. */
export function routesAtAnyTime(about: Addressee, routes: Routes): Route[] {
  const matching = routes.routes.filter(({ match }) => matches(match, matchedBy(about)));
  const always = matching.findIndex(({ active }) => active === undefined);
  return always < 0 ? [...matching, defaultOf(routes)] : matching.slice(0, always + 1);
}

function receiversOf({ name: route, channels }: Route): Receiver[] {
  return channels.map((channel) => ({ channel, route }));
}

/** The route of a pending notification. If it was renamed or removed, the route that would have applied. */
export function routeOf(
  { notification, ...about }: Pick<PendingNotification, 'alert' | 'notification' | 'rule'>,
  routes: Routes,
): string {
  const isKnown =
    notification.route === DEFAULT || routes.routes.some(({ name }) => name === notification.route);
  return isKnown ? notification.route : routeMatching(matchedOf(about), routes, notification.since).name;
}

function routeMatching(subject: Matched, routes: Routes, at: number): Route {
  const isActive = ({ active }: Route) =>
    active === undefined || active.some((name) => coveringAt(routes.calendars, at).has(name));
  const found = routes.routes.find((route) => matches(route.match, subject) && isActive(route));
  return found ?? defaultOf(routes);
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
export function standInFor(channel: string, routes: Routes): string {
  return Object.hasOwn(routes.channels, channel) ? channel : (defaultOf(routes).channels[0] ?? channel);
}
