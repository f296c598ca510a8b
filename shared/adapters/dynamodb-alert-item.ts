import { createHash } from 'node:crypto';
import * as z from 'zod';
import {
  type Alert,
  type AlertKey,
  ANSWERS,
  type Announced,
  type Debt,
  type Fired,
  type GivenAnswer,
  type Health,
  type Judged,
  TRANSITIONS,
} from '../alerting/alert.ts';
import {
  type BaselineOrigin,
  type Evaluation,
  GATES,
  type Surprise,
  VERDICTS,
} from '../alerting/evaluation.ts';
import type { Unmatched } from '../alerting/matches-nothing.ts';
import { type OpenAlert, sizeOf } from '../alerting/open-alert.ts';
import type { Reading } from '../alerting/reading.ts';
import { isAtRest } from '../alerting/rest.ts';
import { SEVERITIES } from '../alerting/rule.ts';
import type { Window } from '../alerting/window.ts';
import { boundsInsteadSchema } from './dynamodb-override-store.ts';
import { pack, packed } from './dynamodb-packing.ts';
import type { Item, Key } from './dynamodb-requests.ts';
import { OPEN_SHARDS, OWED_SHARDS } from './dynamodb-table.ts';
import type { SchemaOf } from './schema-of.ts';

/** A sort key holds 1024 bytes; a segment may be any text. */
const MAX_SEGMENT_BYTES = 900;

export const windowSchema = z.object({
  startAt: z.number(),
  endAt: z.number(),
}) satisfies SchemaOf<Window>;

const readingSchema = z.object({
  value: z.number().nullable(),
  weight: z.number().nullable(),
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
  wouldTell: z.boolean().default(true),
  larger: z.number(),
  remembered: z.number(),
}) satisfies SchemaOf<Surprise>;

const evaluationSchema = z.object({
  window: windowSchema,
  baselineWindow: windowSchema,
  origin: originSchema,
  current: readingSchema,
  baseline: readingSchema,
  previous: readingSchema,
  difference: z.number().nullable(),
  change: z.number().nullable(),
  gates: z.array(
    z.object({
      gate: z.enum(GATES),
      passed: z.boolean(),
      detail: z.string(),
      figures: z.record(z.string(), z.number()),
    }),
  ),
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
  reason: z.string(),
  recovered: z.boolean(),
  override: z
    .object({
      by: z.string(),
      at: z.number(),
      reason: z.string(),
      untilAt: z.number(),
      instead: boundsInsteadSchema,
    })
    .optional(),
}) satisfies SchemaOf<Evaluation>;

const streak = { since: z.number(), through: z.number(), reason: z.string(), told: z.boolean() };
const healthSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ok') }),
  z.object({ kind: z.literal('inconclusive'), ...streak, wants: z.enum(['data', 'calls']) }),
  z.object({ kind: z.enum(['failing', 'broken']), ...streak, streak: z.number() }),
]) satisfies z.ZodType<Health>;

const unmatchedSchema = z.object({
  sinceAt: z.number(),
  windows: z.number(),
  isNew: z.boolean(),
  told: z.boolean(),
}) satisfies SchemaOf<Unmatched>;

const transitionSchema = z.enum(TRANSITIONS);

const debtSchema = z.object({
  transition: transitionSchema,
  channel: z.string(),
  route: z.string(),
  tick: z.string(),
  windowEndAt: z.number(),
  since: z.number(),
  reason: z.string(),
  evaluation: evaluationSchema.nullable(),
  firedWindowEndAt: z.number().nullable(),
  firstRead: readingSchema.nullable(),
  drivers: z.array(z.string()),
  dueAt: z.number(),
  attempts: z.number(),
  revision: z.number().optional(),
  reminder: z.number().optional(),
  cause: z.string().optional(),
  drill: z.object({ by: z.string(), severity: z.enum(SEVERITIES) }).optional(),
}) satisfies SchemaOf<Debt>;

const owedSchema = z.record(z.string(), debtSchema);

const announcedSchema = z.object({
  transition: transitionSchema,
  channel: z.string(),
  windowEndAt: z.number(),
  sentAt: z.number(),
  firedWindowEndAt: z.number().optional(),
  cause: z.string().optional(),
}) satisfies SchemaOf<Announced>;

const said = { by: z.string(), at: z.number(), reason: z.string() };
const answerSchema = z.object({
  answer: z.enum(ANSWERS),
  ...said,
  firedWindowEndAt: z.number(),
  link: z.string().nullable(),
}) satisfies SchemaOf<GivenAnswer>;
const answersSchema = z.array(answerSchema);

const firedSchema = z.object({
  windowEndAt: z.number(),
  firstEndAt: z.number(),
  baselineWindow: windowSchema,
  origin: originSchema,
  baseline: readingSchema,
  direction: z.enum(['up', 'down']),
  gap: z.object({ from: z.number(), to: z.number() }).nullable().default(null),
  drivers: z.array(z.string()).optional(),
  fromRevision: z.number().optional(),
  lasted: z.object({ windows: z.number(), atZero: z.number() }).optional(),
}) satisfies SchemaOf<Fired>;

/** Each window with how far its end is from the one before: steps that are alike nearly vanish when compressed. */
const judgedSteps = z.array(z.tuple([z.number(), z.enum(['breached', 'clear', 'held'])]));

/** Ends of windows that were judged by an override, and when that was said. */
const overriddenSchema = z.array(z.tuple([z.number(), z.number()]));

const storedSchema = z.object({
  ruleId: z.string(),
  segment: z.string().nullable().default(null),
  ruleHash: z.string(),
  state: z.enum(['normal', 'pending', 'firing', 'recovering']),
  stateSinceAt: z.number(),
  judgedThroughAt: z.number(),
  recent: packed(judgedSteps).transform(fromSteps).default([]),
  // Apart from those, whose form code from before there were overrides must go on reading after a rollback.
  overridden: packed(overriddenSchema).default([]),
  fired: firedSchema.nullable().default(null),
  suspected: firedSchema.nullable().default(null),
  incidents: z.array(windowSchema).default([]),
  levelSinceAt: z.number().nullable().default(null),
  levelAcceptedAt: z.number().optional(),
  seenSinceAt: z.number().optional(),
  changes: z.array(z.number()).default([]),
  flappingSinceAt: z.number().nullable().default(null),
  noData: z.object({ sinceAt: z.number(), windows: z.number(), told: z.boolean() }).nullable().default(null),
  unmatched: unmatchedSchema.nullable().default(null),
  health: healthSchema.default({ kind: 'ok' }),
  acknowledged: z.object(said).nullable().default(null),
  snoozed: z
    .object({ ...said, untilAt: z.number().nullable() })
    .nullable()
    .default(null),
  excusedUntilAt: z.number().nullable().default(null),
  answers: packed(answersSchema).default([]),
  last: packed(evaluationSchema).nullable().default(null),
  owed: packed(owedSchema).default({}),
  owedAt: z.number().nullable().default(null),
  announced: z.array(announcedSchema).default([]),
  revision: z.number(),
}) satisfies { shape: Record<keyof Alert, unknown> };

/** An alert as it is stored; what a quiet one lacks was left out to keep it within one write unit (1 KB). */
export const alertItemSchema = storedSchema.transform(({ overridden, recent, ...alert }): Alert => {
  const saidAt = new Map(overridden);
  return {
    ...alert,
    recent: recent.map((judged) => {
      const overriddenAt = saidAt.get(judged.endAt);
      return overriddenAt === undefined ? judged : { ...judged, overriddenAt };
    }),
  };
});

const { shape } = storedSchema;

/** What is read of an item in the index of those that are open. */
export const openAlertSchema = z.object({
  ruleId: shape.ruleId,
  segment: shape.segment,
  state: shape.state,
  stateSinceAt: shape.stateSinceAt,
  flappingSinceAt: shape.flappingSinceAt,
  noData: shape.noData,
  unmatched: shape.unmatched,
  health: shape.health,
  acknowledged: shape.acknowledged,
  size: z.number().default(-1),
}) satisfies SchemaOf<OpenAlert>;

export function alertItem(alert: Alert): Item & Key {
  const { health, last, owed, recent, incidents, changes, answers, announced, ...rest } = alert;
  const present = Object.entries(rest).filter(([, value]) => value !== null);
  const overridden = recent.flatMap(({ endAt, overriddenAt }): [number, number][] =>
    overriddenAt === undefined ? [] : [[endAt, overriddenAt]],
  );
  return {
    ...alertItemKey(alert),
    ...Object.fromEntries(present),
    ...(health.kind !== 'ok' && { health }),
    ...(last && { last: packedLast(last) }),
    ...(recent.length > 0 && { recent: pack(judgedSteps, toSteps(recent)) }),
    ...(overridden.length > 0 && { overridden: pack(overriddenSchema, overridden) }),
    ...(incidents.length > 0 && { incidents }),
    ...(changes.length > 0 && { changes }),
    ...(answers.length > 0 && { answers: pack(answersSchema, answers) }),
    ...(announced.length > 0 && { announced }),
    // Together: what several channels are owed is of the same evaluation, and is then kept about once.
    ...(Object.keys(owed).length > 0 && { owed: pack(owedSchema, owed) }),
    ...(alert.owedAt !== null && { owedShard: shardOf(alert, OWED_SHARDS) }),
    ...(!isAtRest(alert) && { openShard: shardOf(alert, OPEN_SHARDS), size: sizeOf(alert) }),
  };
}

/** The one of these that is the alert's for good. */
function shardOf(alert: Alert, shards: readonly string[]): string | undefined {
  const { pk, sk } = alertItemKey(alert);
  return shards[(createHash('sha256').update(pk).update(sk).digest()[0] ?? 0) % shards.length];
}

/** Packed once: announcing saves an alert twice and more, and evaluates nothing. Nobody changes an evaluation. */
const packedBefore = new WeakMap<Evaluation, Uint8Array>();

function packedLast(last: Evaluation): Uint8Array {
  const bytes = packedBefore.get(last) ?? pack(evaluationSchema, last);
  packedBefore.set(last, bytes);
  return bytes;
}

function toSteps(recent: Judged[]): z.output<typeof judgedSteps> {
  return recent.map(({ endAt, verdict }, i) => [endAt - (recent[i - 1]?.endAt ?? 0), verdict]);
}

function fromSteps(steps: z.output<typeof judgedSteps>): Judged[] {
  let endAt = 0;
  return steps.map(([step, verdict]) => {
    endAt += step;
    return { endAt, verdict };
  });
}

export function alertPartition(ruleId: string): string {
  return `ALERT#${ruleId}`;
}

/** Where the alert of `key` is stored. */
export function alertItemKey({ ruleId, segment }: AlertKey): Key {
  return { pk: alertPartition(ruleId), sk: segment === null ? 'RULE' : `SEGMENT#${bounded(segment)}` };
}

function bounded(segment: string): string {
  if (Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES) return segment;
  return `sha256#${createHash('sha256').update(segment).digest('hex')}`;
}
