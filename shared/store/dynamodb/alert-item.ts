import { createHash } from 'node:crypto';
import * as z from 'zod';
import {
  ALERT_STATES,
  type Alert,
  type AlertKey,
  type EvaluatedWindow,
  type LastWindow,
} from '../../alerts/alert.ts';
import { isAtRest } from '../../alerts/at-rest.ts';
import { type OpenAlert, sizeOf } from '../../alerts/open-alert.ts';
import { sinceOf } from '../../alerts/open-since.ts';
import { hasListedIncident, type PastIncidents } from '../../alerts/past-incidents.ts';
import { type Evaluation, VERDICTS } from '../../evaluation/evaluation.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import {
  answersSchema,
  evaluationSchema,
  firedSchema,
  healthSchema,
  pendingSchema,
  said,
  sentSchema,
  unmatchedSchema,
  windowSchema,
} from './alert-parts.ts';
import { pack, packed } from './item-packing.ts';
import type { Item, Key } from './requests.ts';
import { ENDED_SHARDS, OPEN_SHARDS, PENDING_SHARDS } from './table.ts';

/** A sort key holds 1024 bytes, but a segment can be any text. */
const MAX_SEGMENT_BYTES = 900;

/** Stores each window as the distance to the end of the one before: equal distances compress well. */
const evaluatedSteps = z.array(z.tuple([z.number(), z.enum(['breached', 'clear', 'held'])]));

/** By columns, because equal steps and equal verdicts then compress well. */
const lastWindowColumns = z.object({
  steps: z.array(z.number()),
  values: z.array(z.number().nullable()),
  verdicts: z.array(z.enum(VERDICTS)),
});

/** A stored alert. Defaults are left out, so that a normal alert fits into one write unit (1 KB). */
export const alertItemSchema = z.object({
  ruleId: z.string(),
  segment: z.string().nullable().default(null),
  ruleHash: z.string(),
  state: z.enum(ALERT_STATES),
  stateSinceAt: z.number(),
  evaluatedThroughAt: z.number(),
  recent: packed(evaluatedSteps).transform(fromSteps).default([]),
  lastWindows: packed(lastWindowColumns).transform(fromColumns).default([]),
  largestSegment: z.string().optional(),
  fired: firedSchema.nullable().default(null),
  suspected: firedSchema.nullable().default(null),
  incidents: z.array(windowSchema).default([]),
  levelSinceAt: z.number().nullable().default(null),
  levelAcceptedAt: z.number().optional(),
  seenSinceAt: z.number().optional(),
  changes: z.array(z.number()).default([]),
  flappingSinceAt: z.number().nullable().default(null),
  noData: z
    .object({ sinceAt: z.number(), windows: z.number(), notified: z.boolean() })
    .nullable()
    .default(null),
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
  pending: packed(pendingSchema).default({}),
  pendingAt: z.number().nullable().default(null),
  sent: z.array(sentSchema).default([]),
  revision: z.number(),
}) satisfies { shape: Record<keyof Alert, unknown> };

const { shape } = alertItemSchema;

/** The part that is read of an item in the index of open alerts. */
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
  sinceAt: z.number().optional(),
}) satisfies SchemaOf<OpenAlert>;

/** The part that is read of an item for its incidents. */
export const pastIncidentsSchema = z.object({
  ruleId: shape.ruleId,
  segment: shape.segment,
  state: shape.state,
  incidents: shape.incidents,
  levelSinceAt: shape.levelSinceAt,
  levelAcceptedAt: shape.levelAcceptedAt,
}) satisfies SchemaOf<PastIncidents>;

export function alertItem(alert: Alert): Item & Key {
  const { health, last, pending, recent, lastWindows, incidents, changes, answers, sent, ...rest } = alert;
  const present = Object.entries(rest).filter(([, value]) => value !== null);
  return {
    ...alertItemKey(alert),
    ...Object.fromEntries(present),
    ...(health.kind !== 'ok' && { health }),
    ...(last && { last: packedLast(last) }),
    ...(recent.length > 0 && { recent: pack(evaluatedSteps, toSteps(recent)) }),
    ...(lastWindows.length > 0 && { lastWindows: pack(lastWindowColumns, toColumns(lastWindows)) }),
    ...(incidents.length > 0 && { incidents }),
    ...(changes.length > 0 && { changes }),
    ...(answers.length > 0 && { answers: pack(answersSchema, answers) }),
    ...(sent.length > 0 && { sent }),
    // Packed together: notifications for several channels share an evaluation, which then compresses to about one.
    ...(Object.keys(pending).length > 0 && { pending: pack(pendingSchema, pending) }),
    ...(alert.pendingAt !== null && { pendingShard: shardOf(alert, PENDING_SHARDS) }),
    ...indexed(alert),
  };
}

/** The attributes of the index of open alerts. */
function indexed(alert: Alert): Item {
  if (!isAtRest(alert))
    return { openShard: shardOf(alert, OPEN_SHARDS), size: sizeOf(alert), sinceAt: sinceOf(alert) };
  return hasListedIncident(alert) ? { openShard: shardOf(alert, ENDED_SHARDS) } : {};
}

/** The shard of an alert, which never changes. */
function shardOf(alert: Alert, shards: readonly string[]): string | undefined {
  const { pk, sk } = alertItemKey(alert);
  return shards[(createHash('sha256').update(pk).update(sk).digest()[0] ?? 0) % shards.length];
}

/** Cached: sending saves an alert several times without changing its evaluations. */
const packedBefore = new WeakMap<Evaluation, Uint8Array>();

function packedLast(last: Evaluation): Uint8Array {
  const bytes = packedBefore.get(last) ?? pack(evaluationSchema, last);
  packedBefore.set(last, bytes);
  return bytes;
}

function toSteps(recent: EvaluatedWindow[]): z.output<typeof evaluatedSteps> {
  return recent.map(({ endAt, verdict }, i) => [endAt - (recent[i - 1]?.endAt ?? 0), verdict]);
}

function fromSteps(steps: z.output<typeof evaluatedSteps>): EvaluatedWindow[] {
  const ends = endsOf(steps.map(([step]) => step));
  return steps.map(([, verdict], i) => ({ endAt: ends[i] ?? 0, verdict }));
}

function toColumns(windows: LastWindow[]): z.output<typeof lastWindowColumns> {
  return {
    steps: windows.map(({ endAt }, i) => endAt - (windows[i - 1]?.endAt ?? 0)),
    values: windows.map(({ value }) => value),
    verdicts: windows.map(({ verdict }) => verdict),
  };
}

function fromColumns({ steps, values, verdicts }: z.output<typeof lastWindowColumns>): LastWindow[] {
  return endsOf(steps).map((endAt, i) => ({
    endAt,
    value: values[i] ?? null,
    verdict: verdicts[i] ?? 'inconclusive',
  }));
}

/** The sums of the first one, two, three and more steps. */
function endsOf(steps: number[]): number[] {
  let endAt = 0;
  return steps.map((step) => {
    endAt += step;
    return endAt;
  });
}

export function alertPartition(ruleId: string): string {
  return `ALERT#${ruleId}`;
}

/** The key of the item of this alert. */
export function alertItemKey({ ruleId, segment }: AlertKey): Key {
  return { pk: alertPartition(ruleId), sk: segment === null ? 'RULE' : `SEGMENT#${bounded(segment)}` };
}

/** The alert of an item key. For a segment too long for a key, its shortened name. */
export function alertKeyOf({ pk, sk }: Key): AlertKey {
  const segment = sk === 'RULE' ? null : sk.slice('SEGMENT#'.length);
  return { ruleId: pk.slice(alertPartition('').length), segment };
}

function bounded(segment: string): string {
  if (Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES) return segment;
  return `sha256#${createHash('sha256').update(segment).digest('hex')}`;
}
