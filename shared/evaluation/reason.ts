import * as z from 'zod';
import { GRAINS } from '../time/window.ts';

/** Why a new rule matches nothing. */
const ofNoMatch = [
  z.object({ code: z.literal('never-a-value'), windows: z.number(), grain: z.enum(GRAINS) }),
  z.object({
    ...{ code: z.literal('never-a-segment'), windows: z.number(), grain: z.enum(GRAINS) },
    attribute: z.string(),
  }),
  z.object({ code: z.literal('app-never-sent'), app: z.string(), days: z.number() }),
] as const;
export type MatchReason = z.infer<(typeof ofNoMatch)[number]>;

/** `newestDataAt` is `null` if the data has nothing since `overdueBeforeAt`, and nothing older is known. */
const ofApp = [
  z.object({
    ...{ code: z.literal('app-stopped'), app: z.string() },
    ...{ newestDataAt: z.number().nullable(), overdueBeforeAt: z.number() },
    /** How long the app is usually silent, in ms, if that is long. */
    usualMs: z.number().optional(),
  }),
  z.object({ code: z.literal('app-resumed'), app: z.string(), newestDataAt: z.number() }),
  z.object({ code: z.literal('app-without-rules'), app: z.string() }),
] as const;

/** An answer; `note` may be empty, `untilAt` is `null` for "until it recovers". */
const answered = { by: z.string(), note: z.string() };
const ofAnswer = [
  z.object({ code: z.enum(['acknowledged', 'level-accepted', 'marked-as-holiday']), ...answered }),
  z.object({ code: z.literal('snoozed'), ...answered, untilAt: z.number().nullable() }),
] as const;

/** Why a rule cannot be evaluated; `error` is the message of the service or the store. */
const ofHealth = [
  z.object({ code: z.literal('app-sent-nothing') }),
  z.object({ code: z.literal('data-late'), neededAt: z.number(), newestDataAt: z.number() }),
  z.object({ code: z.literal('read-failed'), error: z.string() }),
  z.object({ code: z.literal('calls-spent'), error: z.string() }),
  z.object({ code: z.literal('out-of-time') }),
  z.object({ code: z.literal('alert-unsaved'), error: z.string() }),
  z.object({ code: z.literal('alert-unreadable'), error: z.string(), others: z.number() }),
] as const;
export const healthReasonSchema = z.discriminatedUnion('code', ofHealth);
export type HealthReason = z.infer<typeof healthReasonSchema>;

export const reasonSchema = z.lazy(() =>
  z.discriminatedUnion('code', [
    // The evaluation itself; `not-confirmed`: a later reading of the same window.
    z.object({ code: z.enum(['evaluation', 'not-confirmed']) }),
    z.object({ code: z.literal('recovered'), beforeAt: z.number() }),
    z.object({ code: z.enum(['segment-gone', 'segment-unlisted', 'above-zero']) }),
    z.object({ code: z.literal('level-lasted'), windows: z.number() }),
    z.object({
      ...{ code: z.literal('flapping'), changes: z.number() },
      ...{ windows: z.number(), quietFor: z.number() },
    }),
    z.object({ code: z.literal('flapping-ended'), isFiring: z.boolean(), windows: z.number() }),
    z.object({ code: z.literal('fires-for-longer') }),
    z.object({ code: z.literal('no-data'), windows: z.number(), sinceAt: z.number() }),
    z.object({ code: z.literal('data-back') }),
    z.object({ code: z.literal('rule-changed'), was: z.enum(['firing', 'flapping']) }),
    z.object({ code: z.literal('rule-removed') }),
    ...ofApp,
    ...ofNoMatch,
    ...ofAnswer,
    z.object({ code: z.literal('evaluated-again') }),
    ...ofHealth,
  ]),
);
/** `reason-text.ts` has the text. Text from people and services is stored unchanged. */
export type Reason = z.infer<typeof reasonSchema>;
