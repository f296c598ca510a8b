import * as z from 'zod';
import type { Addressee } from '../alerts/app-alert.ts';
import { SEVERITIES } from '../rules/rule.ts';
import { minutes } from '../text/text-schemas.ts';
import { muteCalendarSchema } from '../time/mute-calendar-schema.ts';
import { channelSchema } from './channels.ts';
import type { PendingNotification } from './owed.ts';
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
  .describe('All that are given must match: a text in which "*" stands for any text, or a list of such.');

/** What the messages of one route can be parted by. */
const GROUPINGS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;

const DURATION = 'write a duration such as "45 minutes", "4 hours" or "1 day"';

const LEAST_MINUTES = 5;

const repeatSchema = z
  .strictObject({
    // Kept as it was written: routes are stored as they were read.
    after: z
      .string(DURATION)
      .refine((text) => minutes.safeParse(text).success, { error: DURATION })
      .describe(
        'How long after the message; each next wait is twice as long, up to a day, and after 14 days up to a week.',
      ),
    at_most: z.int().min(1).max(100).optional().describe('How many reminders there are at most.'),
  })
  .describe('Reminds of what still fires and nobody has acknowledged.');

const settings = {
  channels: z.array(name).min(1).describe('All of them hear.'),
  group_by: z
    .array(z.enum(GROUPINGS))
    .default([])
    .describe('A message for each of these; without it, one for all that a run found.'),
  repeat: repeatSchema.optional(),
  mute: z.array(name).default([]).describe('Calendars: while one of them mutes, nothing new is told.'),
};

const settingsSchema = z.strictObject(settings);

/** `rules/routes.yaml`: who hears of which rule. The first route that matches is taken; `default` hears the rest. */
export const routesSchema = z
  .strictObject({
    $schema: z.string().optional(),
    channels: z.record(name, channelSchema),
    calendars: z.record(name, muteCalendarSchema).default({}).describe('Times at which routes are mute.'),
    default: z
      .union([z.array(name).min(1), settingsSchema], 'write a list of channels, or a map with "channels"')
      .describe(
        'Channels of every rule that no route matches; or a map of them and the settings of a route.',
      ),
    routes: z.array(z.strictObject({ name, match: matchSchema, ...settings })).default([]),
  })
  .superRefine((routes, context) => {
    for (const { path, message } of unknownNames(routes)) context.addIssue({ code: 'custom', path, message });
  });

/** The same as people write it. What was stored before it was this strict can still be read. */
export const routesFileSchema = routesSchema.superRefine((routes, context) => {
  for (const { path, message } of unwise(routes)) context.addIssue({ code: 'custom', path, message });
});

export type Routes = z.output<typeof routesSchema>;
export type RouteSettings = z.output<typeof settingsSchema>;
export type Repeat = z.output<typeof repeatSchema>;

/** The route that news of `about` take and the channels that hear of them. */
export function routeFor(about: Addressee, routes: Routes): { route: string; channels: string[] } {
  const { id: rule, app, owner, severity, segment = null } = about;
  const route = routeNameFor({ app, rule, owner, severity, segment }, routes);
  return { route, channels: settingsOf(route, routes).channels };
}

/** The name that the default goes by among routes. */
export const DEFAULT = 'default';

/** The route that this is told by: of one that was renamed or removed the one that is taken now. */
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

/** How a route tells; one that was removed does as the default. */
export function settingsOf(route: string, routes: Routes): RouteSettings {
  const found = routes.routes.find((each) => each.name === route);
  if (found) return found;
  return Array.isArray(routes.default)
    ? { channels: routes.default, group_by: [], mute: [] }
    : routes.default;
}

/** A channel that was renamed or removed is stood in for by the default: nothing goes unheard. */
export function standInFor(channel: string, routes: Routes): string {
  return Object.hasOwn(routes.channels, channel)
    ? channel
    : (settingsOf(DEFAULT, routes).channels[0] ?? channel);
}

/** How long after a message its first reminder follows, in milliseconds; less than five minutes would flood. */
export function firstWait({ after }: Repeat): number {
  return Math.max(LEAST_MINUTES, minutes.parse(after)) * 60_000;
}

function isTooSoon({ after }: Repeat): boolean {
  const wait = minutes.safeParse(after);
  return wait.success && wait.data < LEAST_MINUTES;
}

/** Reminders without a pause, and channels that would hear twice. */
function unwise({ default: rest, routes }: Routes): { path: (string | number)[]; message: string }[] {
  const isRepeated = (name: string, i: number, names: string[]) => names.indexOf(name) < i;
  const inChannels = (channels: string[], path: (string | number)[]) =>
    channels.flatMap((name, i, names) =>
      isRepeated(name, i, names) ? [{ path: [...path, i], message: 'the channel is there twice' }] : [],
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

/** Channels and calendars that there are not, and routes that could not be told apart. */
function unknownNames(routes: Routes): { path: (string | number)[]; message: string }[] {
  const among = (known: object, what: string, names: string[], path: (string | number)[]) =>
    names.flatMap((each, i) =>
      Object.hasOwn(known, each)
        ? []
        : [
            {
              path: [...path, i],
              message: `no ${what} "${each}"; there are ${Object.keys(known).join(', ') || 'none'}`,
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
  const taken = [DEFAULT];
  return routes.flatMap(({ name }, i) => {
    const isTaken = taken.includes(name);
    taken.push(name);
    return isTaken ? [{ path: ['routes', i, 'name'], message: `another route is called "${name}"` }] : [];
  });
}
