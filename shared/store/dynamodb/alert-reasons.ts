import * as z from 'zod';
import type { VerdictReason } from '../../evaluation/evaluation.ts';
import { GATES, type Gate } from '../../evaluation/gate.ts';
import type { HealthReason, Reason } from '../../evaluation/reason.ts';
import type { Bounds } from '../../rules/bounds.ts';
import { figuresSchema, metricSchema } from '../../rules/figure-schema.ts';
import type { Watched } from '../../rules/metrics.ts';
import { ratioSchema } from '../../rules/ratio.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import { GRAINS } from '../../time/window.ts';

const sides = z.object({ above: z.number().optional(), below: z.number().optional() }).optional();
const boundsSchema = z.object({
  change: sides,
  difference: sides,
  current: sides,
}) satisfies SchemaOf<Bounds>;

const watchedSchema = z.object({
  metric: metricSchema.optional(),
  ratio: ratioSchema.optional(),
  funnel: z.array(z.string()).optional(),
  formula: z.string().optional(),
  figures: figuresSchema.optional(),
  unit: z.string().optional(),
}) satisfies SchemaOf<Watched>;

const passed = z.literal(true);
const failed = z.literal(false);
const none = z.object({}).transform((): Record<string, never> => ({}));

const volume = { current: z.number(), baseline: z.number(), difference: z.number() };
const threshold = z.object({ ...volume, change: z.number().optional() });
const learned = {
  figures: z.object({
    z: z.number(),
    p: z.number(),
    tau: z.number(),
    clustering: z.number(),
    pairs: z.number(),
    exactP: z.number().optional(),
    knownSinceAt: z.number().optional(),
    pairsInRollouts: z.number().optional(),
  }),
  history: z.enum(['enough', 'little', 'rollouts']),
  borrowed: z.object({ tau: z.number(), from: z.enum(['other series', 'other segments']) }).optional(),
};
const season = {
  gate: z.literal('season'),
  figures: z.object({
    current: z.number(),
    expected: z.number(),
    low: z.number(),
    high: z.number(),
    z: z.number(),
    limit: z.number(),
    larger: z.number(),
    remembered: z.number(),
  }),
};
const family = {
  gate: z.literal('family'),
  figures: z.object({ tested: z.number(), adjustedP: z.number(), rate: z.number() }),
};
const rollout = {
  gate: z.literal('rollout'),
  figures: z.object({ moved: z.number(), expected: z.number() }),
};
const member = { gate: z.literal('member'), figures: none, title: z.string(), watched: watchedSchema };
const firingSchema = z.object({
  segment: z.string().nullable(),
  movement: z.object({ from: z.number(), to: z.number(), change: z.number().nullable() }).optional(),
});

export const gateSchema = z.discriminatedUnion('code', [
  z.object({
    ...{ gate: z.literal('settled'), passed, code: z.literal('settled') },
    figures: z.object({ closedAt: z.number(), settleMinutes: z.number() }),
  }),
  z.object({
    ...{ gate: z.literal('fresh'), passed, code: z.literal('fresh') },
    figures: z.object({ newestDataAt: z.number() }),
  }),
  z.object({
    ...{ gate: z.literal('fresh'), passed: failed, code: z.literal('data-late') },
    figures: z.object({ newestDataAt: z.number() }),
  }),
  z.object({ gate: z.literal('fresh'), passed: failed, code: z.literal('no-data-yet'), figures: none }),
  z.object({ gate: z.literal('holiday'), passed, code: z.literal('not-a-holiday'), figures: none }),
  z.object({
    ...{ gate: z.literal('holiday'), passed, code: z.literal('zero-on-a-holiday'), figures: none },
    holiday: z.string(),
  }),
  z.object({
    ...{ gate: z.literal('holiday'), passed: failed, code: z.literal('holiday'), figures: none },
    holiday: z.string(),
  }),
  z.object({
    gate: z.literal('volume'),
    passed,
    code: z.literal('enough-volume'),
    figures: z.object(volume),
  }),
  z.object({
    ...{ gate: z.literal('volume'), passed: failed, code: z.literal('too-little-volume') },
    figures: z.object({ ...volume, minimum: z.number() }),
    short: z.enum(['current', 'baseline', 'difference']),
  }),
  z.object({
    ...{ gate: z.literal('threshold'), passed, code: z.literal('outside-bounds'), figures: threshold },
    bounds: boundsSchema,
  }),
  z.object({
    ...{ gate: z.literal('threshold'), passed: failed, code: z.literal('within-bounds'), figures: threshold },
    bounds: boundsSchema,
  }),
  z.object({ gate: z.literal('significance'), passed, code: z.literal('significant'), ...learned }),
  z.object({
    ...{ gate: z.literal('significance'), passed: failed, code: z.literal('not-significant') },
    ...learned,
  }),
  z.object({ ...season, passed, code: z.literal('unusual') }),
  z.object({
    ...season,
    passed: failed,
    code: z.enum(['expected', 'back-to-expected', 'too-variable-to-tell']),
  }),
  z.object({
    ...{ ...season, passed: failed, code: z.literal('other-direction') },
    anomaly: z.enum(['rise', 'fall']),
  }),
  z.object({ ...family, passed, code: z.literal('stands-out') }),
  z.object({ ...family, passed: failed, code: z.literal('does-not-stand-out') }),
  z.object({ ...rollout, passed, code: z.literal('beyond-rollout') }),
  z.object({ ...rollout, passed: failed, code: z.literal('explained-by-rollout') }),
  z.object({
    ...{ ...member, passed, code: z.literal('member-firing') },
    firing: z.array(firingSchema),
    more: z.number(),
  }),
  z.object({ ...member, passed: failed, code: z.literal('member-not-firing') }),
]) satisfies z.ZodType<Gate>;

export const verdictReasonSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('gate'), gate: z.enum(GATES) }),
  z.object({ code: z.enum(['no-value', 'no-denominator']) }),
  z.object({ code: z.enum(['no-season', 'new-segment', 'no-baseline', 'not-comparable']) }),
  z.object({ code: z.literal('members'), firing: z.number(), of: z.number() }),
]) satisfies z.ZodType<VerdictReason>;

const ofHealth = [
  z.object({ code: z.literal('app-sent-nothing') }),
  z.object({ code: z.literal('data-late'), neededAt: z.number(), newestDataAt: z.number() }),
  z.object({ code: z.literal('read-failed'), error: z.string() }),
  z.object({ code: z.literal('calls-spent'), error: z.string() }),
  z.object({ code: z.literal('out-of-time') }),
  z.object({ code: z.literal('alert-unsaved'), error: z.string() }),
  z.object({ code: z.literal('alert-unreadable'), error: z.string(), others: z.number() }),
] as const;
export const healthReasonSchema = z.discriminatedUnion('code', ofHealth) satisfies z.ZodType<HealthReason>;

const said = { by: z.string(), note: z.string() };
export const reasonSchema = z.discriminatedUnion('code', [
  z.object({ code: z.enum(['evaluation', 'not-confirmed']) }),
  z.object({ code: z.literal('recovered'), beforeAt: z.number() }),
  z.object({ code: z.enum(['segment-gone', 'segment-unlisted', 'above-zero']) }),
  z.object({ code: z.literal('level-lasted'), windows: z.number() }),
  z.object({
    code: z.literal('flapping'),
    changes: z.number(),
    windows: z.number(),
    quietFor: z.number(),
  }),
  z.object({ code: z.literal('flapping-ended'), isFiring: z.boolean(), windows: z.number() }),
  z.object({ code: z.enum(['fires-for-longer', 'over-while-flapping']) }),
  z.object({ code: z.literal('no-data'), windows: z.number(), sinceAt: z.number() }),
  z.object({ code: z.literal('data-back') }),
  z.object({ code: z.literal('rule-changed'), was: z.enum(['firing', 'flapping']) }),
  z.object({ code: z.literal('rule-removed') }),
  z.object({
    code: z.literal('app-stopped'),
    app: z.string(),
    newestDataAt: z.number().nullable(),
    overdueBeforeAt: z.number(),
  }),
  z.object({ code: z.literal('app-resumed'), app: z.string(), newestDataAt: z.number() }),
  z.object({ code: z.literal('app-without-rules'), app: z.string() }),
  z.object({ code: z.literal('never-a-value'), windows: z.number(), grain: z.enum(GRAINS) }),
  z.object({
    code: z.literal('never-a-segment'),
    windows: z.number(),
    grain: z.enum(GRAINS),
    attribute: z.string(),
  }),
  z.object({ code: z.literal('app-never-sent'), app: z.string(), days: z.number() }),
  z.object({ code: z.enum(['acknowledged', 'level-accepted', 'marked-as-holiday']), ...said }),
  z.object({ code: z.literal('snoozed'), ...said, untilAt: z.number().nullable() }),
  z.object({ code: z.literal('evaluated-again') }),
  ...ofHealth,
]) satisfies z.ZodType<Reason>;
