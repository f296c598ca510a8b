import * as z from 'zod';
import { figuresSchema, metricSchema } from '../rules/figures.ts';
import { ratioSchema } from '../rules/ratio.ts';

/** The gates, in the order in which they run. */
export const GATES = [
  'settled',
  'fresh',
  'holiday',
  'volume',
  'threshold',
  'significance',
  'season',
  'family',
  'rollout',
  'member',
] as const;
export type GateName = (typeof GATES)[number];

const passed = z.literal(true);
const failed = z.literal(false);
/** A gate whose codes of both results have the same figures. */
const either = { passed: z.boolean() };
const figures = z.record(z.string(), z.never());

const settled = { gate: z.literal('settled') };
const fresh = { gate: z.literal('fresh'), figures: z.object({ newestDataAt: z.number() }) };
const holiday = { gate: z.literal('holiday'), figures };

/** Sizes; `difference` is absolute. A rule that bounds the value alone has only `current`. */
const sizes = {
  current: z.number(),
  baseline: z.number().optional(),
  difference: z.number().optional(),
};
const volume = { gate: z.literal('volume') };

const sides = z.object({ above: z.number().optional(), below: z.number().optional() }).optional();
const threshold = {
  gate: z.literal('threshold'),
  /** `change` is absent for a rise from 0, which has no percentage. */
  figures: z.object({ ...sizes, change: z.number().optional() }),
  bounds: z.object({ change: sides, difference: sides, current: sides }),
};

/** The count test; `pairs`: past pairs used. */
export const countTest = {
  z: z.number(),
  p: z.number(),
  tau: z.number(),
  clustering: z.number(),
  pairs: z.number(),
};
const countFiguresSchema = z.object({
  ...countTest,
  exactP: z.number().optional(),
  /** With little history: since when the service has any. */
  knownSinceAt: z.number().optional(),
});
export type CountFigures = z.infer<typeof countFiguresSchema>;

/** The history of the count test; `rollouts`: little, as most is part of them. `segments`: none is needed. */
const history = z.enum(['enough', 'little', 'rollouts', 'segments']);
export type TestHistory = z.infer<typeof history>;
const significance = { gate: z.literal('significance'), figures: countFiguresSchema, history };

/** A sum over the last `windows` windows (see `shared/statistics/seasonal-sum.ts`). Of means: their mean. */
export const sumSchema = z.object({
  windows: z.number(),
  value: z.number(),
  expected: z.number(),
  /** The range of normal values; `high` is `null` if rises are not evaluated. */
  low: z.number(),
  high: z.number().nullable(),
  /** Negative for a fall. */
  z: z.number(),
  limit: z.number(),
});
export type Sum = z.infer<typeof sumSchema>;

/** The deviation of a window from the seasonal model. */
export const seasonalDeviation = {
  /** The expected value in the metric's unit and the band of normal values. */
  expected: z.number(),
  low: z.number(),
  high: z.number(),
  /** Negative for a fall. */
  z: z.number(),
  /** The limit of |z| in this direction. */
  limit: z.number(),
  /** Number of `remembered` days with at least as large a deviation in this direction. */
  larger: z.number(),
  remembered: z.number(),
  /** The sum over several windows that is beyond its limits, while the window alone is not. */
  sum: sumSchema.optional(),
  /** The holiday that widened the range, or the day beside one. */
  occasion: z.string().optional(),
};
const seasonFiguresSchema = z.object({ current: z.number(), ...seasonalDeviation });
export type SeasonFigures = z.infer<typeof seasonFiguresSchema>;
const season = { gate: z.literal('season'), figures: seasonFiguresSchema };

const family = {
  gate: z.literal('family'),
  figures: z.object({ tested: z.number(), adjustedP: z.number(), rate: z.number() }),
};

/** `moved`: the most that a rollout may have moved to a version or, if negative, from it. */
const rollout = {
  gate: z.literal('rollout'),
  figures: z.object({ moved: z.number(), expected: z.number() }),
};

const firingSeriesSchema = z.object({
  segment: z.string().nullable(),
  /** Absent if the alert did not fire on this window. `change` is `null` for a rise from 0. */
  movement: z.object({ from: z.number(), to: z.number(), change: z.number().nullable() }).optional(),
});
export type FiringSeries = z.infer<typeof firingSeriesSchema>;

const member = {
  gate: z.literal('member'),
  figures,
  title: z.string(),
  watched: z.object({
    metric: metricSchema.optional(),
    ratio: ratioSchema.optional(),
    funnel: z.array(z.string()).optional(),
    formula: z.string().optional(),
    figures: figuresSchema.optional(),
    unit: z.string().optional(),
  }),
};

export const gateSchema = z.lazy(() =>
  z.discriminatedUnion('code', [
    z.object({
      ...{ ...settled, passed, code: z.literal('settled') },
      figures: z.object({ closedAt: z.number(), settleMinutes: z.number() }),
    }),
    z.object({ ...fresh, passed, code: z.literal('fresh') }),
    z.object({ ...fresh, passed: failed, code: z.literal('data-late') }),
    z.object({ ...fresh, passed: failed, code: z.literal('no-data-yet'), figures }),
    z.object({ ...holiday, passed, code: z.literal('not-a-holiday') }),
    z.object({ ...holiday, passed, code: z.literal('zero-on-a-holiday'), holiday: z.string() }),
    z.object({ ...holiday, passed: failed, code: z.literal('holiday'), holiday: z.string() }),
    z.object({ ...volume, passed, code: z.literal('enough-volume'), figures: z.object(sizes) }),
    z.object({
      ...{ ...volume, passed: failed, code: z.literal('too-little-volume') },
      figures: z.object({ ...sizes, minimum: z.number() }),
      short: z.enum(['current', 'baseline', 'difference']),
    }),
    z.object({ ...threshold, ...either, code: z.enum(['outside-bounds', 'within-bounds']) }),
    z.object({ ...significance, ...either, code: z.enum(['significant', 'not-significant']) }),
    z.object({
      ...{ ...season, ...either },
      code: z.enum(['unusual', 'expected', 'back-to-expected', 'too-variable-to-tell']),
    }),
    z.object({
      ...{ ...season, passed: failed, code: z.literal('other-direction') },
      anomaly: z.enum(['rise', 'fall']),
    }),
    z.object({ ...family, ...either, code: z.enum(['stands-out', 'does-not-stand-out']) }),
    z.object({ ...rollout, ...either, code: z.enum(['beyond-rollout', 'explained-by-rollout']) }),
    z.object({
      ...{ ...member, passed, code: z.literal('member-firing') },
      ...{ firing: z.array(firingSeriesSchema), more: z.number() },
    }),
    z.object({ ...member, passed: failed, code: z.literal('member-not-firing') }),
  ]),
);
/** The result of one gate and its figures. `code` says how it went; `gate-text.ts` has the text. */
export type Gate = z.infer<typeof gateSchema>;
