import * as z from 'zod';
import { groupingFor } from './grouping.ts';
import { filtersFor } from './query-filters.ts';
import { appIdSchema, bodyPages, time_zone, wholeNumber } from './requests.ts';

const eventName = z.string('not a string').min(1, 'empty');

/** An event, and filters on it. The window is that of the whole question. */
export const stepSchema = z.strictObject({
  event_name: eventName.optional().describe('Its name. Without one, any event.'),
  filters: filtersFor('event', 'analytics')
    .refine((filters) => filters.every((one) => !('attribute' in one && one.attribute === 'date_range')), {
      error: 'date_range belongs to the filters of the whole question',
    })
    .default([])
    .describe('Conditions that the event must match, besides its name.'),
});
export type Step = z.output<typeof stepSchema>;

/** What both questions ask: of the window, and of the events with which users enter. */
const shared = {
  app_id: appIdSchema,
  filters: filtersFor('event', 'analytics').default([]),
  group_by: groupingFor('event').default([]),
  time_zone,
  ...bodyPages,
};

export const MOST_MINUTES = 30 * 24 * 60;
/** `POST /api/data-access/v1/funnel`: how many users do one thing after another. */
export const funnelRequestSchema = z.strictObject({
  ...shared,
  steps: z
    .array(stepSchema.extend({ event_name: eventName }))
    .min(2, 'fewer than 2 steps')
    .max(10, 'over 10 steps'),
  within_minutes: wholeNumber(MOST_MINUTES),
});
export type FunnelRequest = z.output<typeof funnelRequestSchema>;

/** `POST /api/data-access/v1/retention`: how many users are back some days after they first did something. */
export const retentionRequestSchema = z.strictObject({
  ...shared,
  start: stepSchema.prefault({}),
  return: stepSchema.prefault({}),
  days: z.array(wholeNumber(365)).min(1, 'an empty list').max(30, 'over 30 days'),
});
export type RetentionRequest = z.output<typeof retentionRequestSchema>;

/** The row field of a step, counted from 1. */
export const stepKey = (step: number): string => `step_${step}`;

export const journeyRowSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable())
  .describe(
    'The key of each group by its attribute. A funnel has the users of each step (`step_1`, `step_2`, …), their share of the step before (`step_2_share`) and the share of the last step of the first (`conversion`). Retention has `users`, and of each day those who were back (`day_7`) and their share (`day_7_share`), `null` until the day has ended for all of them. `complete` is false while figures can still grow because time has not passed.',
  );
export type JourneyRow = z.output<typeof journeyRowSchema>;
