import * as z from 'zod';
import type { Addressee } from '../alerts/app-alert.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import { minutes } from '../text/text-schemas.ts';
import { muteCalendarSchema } from '../time/mute-calendar-schema.ts';
import { channelSchema } from './channels.ts';
import type { PendingNotification } from './pending.ts';
import { type Matched, matchedOf, matches } from './silences.ts';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use lower-case letters, digits and dashes');

const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).min(1)]);

const pattern = oneOrMore(z.string().min(1));

export const matchSchema = z
  .strictObject({
    app: pattern.optional(),
    rule: pattern.optional(),
    owner: pattern.optional(),
    severity: oneOrMore(z.enum(SEVERITIES)).optional(),
    segment: pattern.optional(),
  })
  .describe(
    'All given keys must match. A value is a text in which "*" matches any text, or a list of such texts.',
  );

/** Keys that can split the messages of a route. */
const GROUPINGS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;

const DURATION = 'write a duration such as "45 minutes", "4 hours" or "1 day"';

const LEAST_MINUTES = 5;

const repeatSchema = z
  .strictObject({
    // Stored as written: routes are saved in their input form.
    after: z
      .string(DURATION)
      .refine((text) => minutes.safeParse(text).success, { error: DURATION })
      .describe(
        'Time until the first reminder. Each further wait is twice as long, up to a day, and after 14 days up to a week.',
      ),
    at_most: z.int().min(1).max(100).optional().describe('Maximum number of reminders.'),
  })
  .describe('Sends reminders while an alert fires and is not acknowledged.');

const settings = {
  channels: z.array(name).min(1).describe('All of these channels are notified.'),
  group_by: z
    .array(z.enum(GROUPINGS))
    .default([])
    .describe('Sends a separate message for each value of these keys; by default one message per run.'),
  repeat: repeatSchema.optional(),
  mute: z.array(name).default([]).describe('Calendars: while one of them mutes, no new alert is sent.'),
};

const settingsSchema = z.strictObject(settings);

/** `rules/routes.yaml`: which channels get which alerts. The first matching route applies, otherwise `default`. */
export const routesSchema = z
  .strictObject({
    $schema: z.string().optional(),
    channels: z.record(name, channelSchema),
    calendars: z.record(name, muteCalendarSchema).default({}).describe('Times at which routes are muted.'),
    default: z
      .union([z.array(name).min(1), settingsSchema], 'write a list of channels, or a map with "channels"')
      .describe(
        'Alerts that match no route go here: a list of channels, or a map with the settings of a route.',
      ),
    routes: z.array(z.strictObject({ name, match: matchSchema, ...settings })).default([]),
  })
  .superRefine((routes, context) => {
    for (const { path, message } of unknownNames(routes)) context.addIssue({ code: 'custom', path, message });
  });

/** The stricter schema of the file. Stored routes that predate a check stay readable. */
export const routesFileSchema = routesSchema.superRefine((routes, context) => {
  for (const { path, message } of discouraged(routes)) context.addIssue({ code: 'custom', path, message });
});

export type Routes = z.output<typeof routesSchema>;
export type RouteSettings = z.output<typeof settingsSchema>;
export type Repeat = z.output<typeof repeatSchema>;

/** The first route that matches `about`, and its channels. */
export function routeFor(about: Addressee, routes: Routes): { route: string; channels: string[] } {
  const { id: rule, app, owner, severity, segment = null } = about;
  const route = routeNameFor({ app, rule, owner, severity, segment }, routes);
  return { route, channels: settingsOf(route, routes).channels };
}

/** The route name of the default. */
export const DEFAULT = 'default';

/** The route of a pending notification. If it was renamed or removed, the route that matches now. */
export function routeOf(
  { notification, ...about }: Pick<PendingNotification, 'alert' | 'notification' | 'rule'>,
  routes: Routes,
): string {
  const isKnown =
    notification.route === DEFAULT || routes.routes.some(({ name }) => name === notification.route);
  return isKnown ? notification.route : routeNameFor(matchedOf(about), routes);
}

function routeNameFor(subject: Matched, { routes }: Routes): string {
  return routes.find(({ match }) => matches(match, subject))?.name ?? DEFAULT;
}

/** The settings of a route; those of the default if it was removed. */
export function settingsOf(route: string, routes: Routes): RouteSettings {
  const found = routes.routes.find((each) => each.name === route);
  if (found) return found;
  return Array.isArray(routes.default)
    ? { channels: routes.default, group_by: [], mute: [] }
    : routes.default;
}

/** The channel itself, or the first default channel if it was renamed or removed, so that no notification is lost. */
export function standInFor(channel: string, routes: Routes): string {
  return Object.hasOwn(routes.channels, channel)
    ? channel
    : (settingsOf(DEFAULT, routes).channels[0] ?? channel);
}

/** The wait in milliseconds before the first reminder, at least five minutes. */
export function firstWait({ after }: Repeat): number {
  return Math.max(LEAST_MINUTES, minutes.parse(after)) * 60_000;
}

function isTooSoon({ after }: Repeat): boolean {
  const wait = minutes.safeParse(after);
  return wait.success && wait.data < LEAST_MINUTES;
}

/** Reminders that are too frequent, and channels that are listed twice. */
function discouraged({ default: rest, routes }: Routes): { path: (string | number)[]; message: string }[] {
  const isRepeated = (name: string, i: number, names: string[]) => names.indexOf(name) < i;
  const inChannels = (channels: string[], path: (string | number)[]) =>
    channels.flatMap((name, i, names) =>
      isRepeated(name, i, names) ? [{ path: [...path, i], message: 'the channel is listed twice' }] : [],
    );
  const inSettings = ({ channels, repeat }: RouteSettings, path: (string | number)[]) => [
    ...inChannels(channels, [...path, 'channels']),
    ...(repeat && isTooSoon(repeat)
      ? [{ path: [...path, 'repeat', 'after'], message: `write ${LEAST_MINUTES} minutes or more` }]
      : []),
  ];
  return [
    ...(Array.isArray(rest) ? inChannels(rest, ['default']) : inSettings(rest, ['default'])),
    ...routes.flatMap((route, i) => inSettings(route, ['routes', i])),
  ];
}

/** "defined: a, b", or that none are. */
export function definedText(names: readonly string[]): string {
  return names.length > 0 ? `defined: ${names.join(', ')}` : 'none are defined';
}

/** Unknown channels and calendars, and duplicate route names. */
function unknownNames(routes: Routes): { path: (string | number)[]; message: string }[] {
  const among = (known: object, kind: string, names: string[], path: (string | number)[]) =>
    names.flatMap((each, i) =>
      Object.hasOwn(known, each)
        ? []
        : [
            {
              path: [...path, i],
              message: `there is no ${kind} "${each}"; ${definedText(Object.keys(known))}`,
            },
          ],
    );
  const inSettings = ({ channels, mute }: RouteSettings, path: (string | number)[]) => [
    ...among(routes.channels, 'channel', channels, [...path, 'channels']),
    ...among(routes.calendars, 'calendar', mute, [...path, 'mute']),
  ];
  return [
    ...(Array.isArray(routes.default)
      ? among(routes.channels, 'channel', routes.default, ['default'])
      : inSettings(routes.default, ['default'])),
    ...routes.routes.flatMap((route, i) => inSettings(route, ['routes', i])),
    ...repeatedNames(routes),
  ];
}

function repeatedNames({ routes }: Routes) {
  const names = [DEFAULT];
  return routes.flatMap(({ name }, i) => {
    const isTaken = names.includes(name);
    names.push(name);
    return isTaken ? [{ path: ['routes', i, 'name'], message: `another route is called "${name}"` }] : [];
  });
}
