import * as z from 'zod';
import { matchSchema } from '../rules/match-schema.ts';
import { listOf, minutes } from '../text/text-schemas.ts';
import { MINUTE_MS } from '../units/durations.ts';

/** The name of a route, a channel or a calendar. */
export const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use lower-case letters, digits and dashes');

/** Keys that can split the messages of a route. */
const GROUPINGS = ['app', 'rule', 'owner', 'severity', 'segment'] as const;

const DURATION = 'write a duration such as "45 minutes", "4 hours" or "1 day"';

/** Stored as written: routes are saved in their input form. */
const duration = z.string(DURATION).refine((text) => minutes.safeParse(text).success, { error: DURATION });

/** The minimum of a wait before a reminder. */
const LEAST_MINUTES = 5;

const repeatSchema = z
  .strictObject({
    after: duration
      .refine((text) => (minutes.safeParse(text).data ?? Infinity) >= LEAST_MINUTES, {
        error: `write ${LEAST_MINUTES} minutes or more`,
      })
      .describe(
        'Time until the first reminder. Each further wait is twice as long, up to a day, and after 14 days up to a week.',
      ),
    at_most: z.int().min(1).max(100).optional().describe('Maximum number of reminders.'),
  })
  .describe('Sends reminders while an alert fires and is not acknowledged.');

const escalateSchema = z
  .array(
    z.strictObject({
      after: duration.describe('Time since the alert was sent.'),
      channels: z.array(name).min(1).describe('These channels are notified then.'),
    }),
  )
  .min(1)
  .max(5)
  .describe('Notifies more channels while an alert fires and nobody has acknowledged or snoozed it.');

const settings = {
  channels: z.array(name).min(1).describe('All of these channels are notified.'),
  group_by: z
    .array(z.enum(GROUPINGS))
    .default([])
    .describe('Sends a separate message for each value of these keys; by default one message per run.'),
  repeat: repeatSchema.optional(),
  escalate: escalateSchema.optional(),
  mute: listOf(name, 0)
    .default([])
    .describe('Calendars: while one of them covers the present, no new alert is sent.'),
};

export const settingsSchema = z.strictObject(settings);

export const routeSchema = z.strictObject({
  name,
  match: matchSchema,
  active: listOf(name)
    .optional()
    .describe(
      'Calendars: the route applies to news found while one of them covers the time; otherwise the next match does.',
    ),
  continue: z.boolean().optional().describe('Later matching routes apply as well.'),
  ...settings,
});

export type RouteSettings = z.output<typeof settingsSchema>;
export type Step = z.output<typeof escalateSchema>[number];
export type Repeat = z.output<typeof repeatSchema>;
export type RouteEntry = z.output<typeof routeSchema>;

/** The wait in milliseconds before the first reminder. */
export function firstWait({ after }: Repeat): number {
  return minutes.parse(after) * MINUTE_MS;
}
