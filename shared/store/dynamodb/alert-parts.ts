import * as z from 'zod';
import {
  ANSWER_NAMES,
  type GivenAnswer,
  type Health,
  type Notification,
  type Receipt,
  type SentNotification,
} from '../../alerts/alert.ts';
import type { Unmatched } from '../../alerts/matches-nothing.ts';
import { TRANSITION_NAMES } from '../../alerts/transitions.ts';
import { DRIVER_ATTRIBUTES } from '../../evaluation/driver-questions.ts';
import type { Drivers } from '../../evaluation/drivers.ts';
import { type Evaluation, type Surprise, VERDICTS } from '../../evaluation/evaluation.ts';
import type { Fired } from '../../evaluation/fired.ts';
import type { BaselineOrigin, Reading } from '../../readings/reading.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import type { Window } from '../../time/window.ts';
import { gateSchema, healthReasonSchema, reasonSchema, verdictReasonSchema } from './alert-reasons.ts';

export const windowSchema = z.object({
  startAt: z.number(),
  endAt: z.number(),
}) satisfies SchemaOf<Window>;

const readingSchema = z.object({
  value: z.number().nullable(),
  weight: z.number().nullable(),
  events: z.number().optional(),
}) satisfies SchemaOf<Reading>;

const originSchema = z.discriminatedUnion('of', [
  z.object({ of: z.literal('window') }),
  z.object({ of: z.literal('median'), windows: z.number() }),
  z.object({ of: z.literal('model') }),
]) satisfies z.ZodType<BaselineOrigin>;

const surpriseSchema = z.object({
  expected: z.number(),
  low: z.number(),
  high: z.number(),
  z: z.number(),
  limit: z.number(),
  isBeyond: z.boolean(),
  isUsual: z.boolean(),
  canDetect: z.boolean().default(true),
  larger: z.number(),
  remembered: z.number(),
}) satisfies SchemaOf<Surprise>;

export const evaluationSchema = z.object({
  window: windowSchema,
  baselineWindow: windowSchema,
  origin: originSchema,
  current: readingSchema,
  baseline: readingSchema,
  previous: readingSchema,
  difference: z.number().nullable(),
  change: z.number().nullable(),
  gates: z.array(gateSchema),
  significance: z
    .object({
      z: z.number(),
      p: z.number(),
      clustering: z.number(),
      tau: z.number(),
      pairs: z.number(),
      borrowed: z.object({ tau: z.number(), from: z.enum(['other series', 'other segments']) }).optional(),
      exactP: z.number().nullable(),
      family: z.object({ tested: z.number(), adjustedP: z.number() }).nullable(),
    })
    .nullable(),
  surprise: surpriseSchema.nullable(),
  verdict: z.enum(VERDICTS),
  reason: verdictReasonSchema,
  recovered: z.boolean(),
}) satisfies SchemaOf<Evaluation>;

const streak = { since: z.number(), through: z.number(), reason: healthReasonSchema, notified: z.boolean() };
export const healthSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok') }),
  z.object({ kind: z.literal('inconclusive'), ...streak, wants: z.enum(['data', 'calls']) }),
  z.object({ kind: z.enum(['failing', 'broken']), ...streak, streak: z.number() }),
]) satisfies z.ZodType<Health>;

export const unmatchedSchema = z.object({
  sinceAt: z.number(),
  windows: z.number(),
  isNew: z.boolean(),
  notified: z.boolean(),
}) satisfies SchemaOf<Unmatched>;

const transitionSchema = z.enum(TRANSITION_NAMES);

const driverSchema = z.object({
  kind: z.enum(['count', 'within', 'mix', 'unique']),
  values: z.record(z.string(), z.string()),
  current: z.number().nullable(),
  baseline: z.number().nullable(),
  shareOfChange: z.number(),
  shareOfBase: z.number(),
  shareNow: z.number(),
  surprise: z.number(),
}) satisfies SchemaOf<Drivers['drivers'][number]>;

const driversSchema = z.object({
  drivers: z.array(driverSchema),
  opposed: z.object({ dimension: z.string(), within: z.number(), mix: z.number() }).nullable(),
  compared: z.array(z.enum(DRIVER_ATTRIBUTES)),
  moved: z.object({ current: z.number(), baseline: z.number() }),
}) satisfies SchemaOf<Drivers>;

const notificationSchema = z.object({
  transition: transitionSchema,
  channel: z.string(),
  route: z.string(),
  tick: z.string(),
  windowEndAt: z.number(),
  since: z.number(),
  reason: reasonSchema,
  evaluation: evaluationSchema.nullable(),
  firedWindowEndAt: z.number().nullable(),
  firstRead: readingSchema.nullable(),
  drivers: driversSchema.nullable(),
  dueAt: z.number(),
  attempts: z.number(),
  revision: z.number().optional(),
  reminder: z.number().optional(),
  escalatedAfterMinutes: z.number().optional(),
  startChannels: z.array(z.string()).optional(),
  cause: z.string().optional(),
}) satisfies SchemaOf<Notification>;

export const pendingSchema = z.record(z.string(), notificationSchema);

const receiptSchema = z.object({
  conversation: z.string(),
  message: z.string(),
  isDigest: z.boolean().optional(),
}) satisfies SchemaOf<Receipt>;

export const sentSchema = z.object({
  transition: transitionSchema,
  channel: z.string(),
  windowEndAt: z.number(),
  sentAt: z.number(),
  firedWindowEndAt: z.number().optional(),
  cause: z.string().optional(),
  receipt: receiptSchema.optional(),
}) satisfies SchemaOf<SentNotification>;

export const said = { by: z.string(), at: z.number(), reason: z.string() };
const answerSchema = z.object({
  answer: z.enum(ANSWER_NAMES),
  ...said,
  firedWindowEndAt: z.number(),
  link: z.string().nullable(),
}) satisfies SchemaOf<GivenAnswer>;
export const answersSchema = z.array(answerSchema);

export const firedSchema = z.object({
  windowEndAt: z.number(),
  firstEndAt: z.number(),
  baselineWindow: windowSchema,
  origin: originSchema,
  baseline: readingSchema,
  direction: z.enum(['up', 'down']),
  gap: z.object({ from: z.number(), to: z.number() }).nullable().default(null),
  drivers: driversSchema.optional(),
  fromRevision: z.number().optional(),
  lasted: z.object({ windows: z.number(), atZero: z.number() }).optional(),
}) satisfies SchemaOf<Fired>;
