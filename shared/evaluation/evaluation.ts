import * as z from 'zod';
import {
  baselineSchema,
  readingSchema,
  type WindowReading,
  windowReadingSchema,
} from '../readings/reading.ts';
import { hoursOf } from '../time/window.ts';
import { countTest, GATES, gateSchema, seasonalDeviation, sumSchema } from './gate.ts';

export const VERDICTS = ['breached', 'clear', 'no-data', 'inconclusive', 'failed'] as const;
export type Verdict = (typeof VERDICTS)[number];

const significanceSchema = z.object({
  ...countTest,
  /** Fisher's p of a ratio with small counts; `null` for other metrics. */
  exactP: z.number().nullable(),
  /** The number of segments tested and the adjusted p; `null` for a single series. */
  family: z.object({ tested: z.number(), adjustedP: z.number() }).nullable(),
});
/** The count test's figures (see `shared/statistics/counts.ts`). */
export type Significance = z.infer<typeof significanceSchema>;

const surpriseSchema = z.object({
  ...seasonalDeviation,
  isBeyond: z.boolean(),
  /** Within the limit of its time of the week alone, without the carry-over, and no sum is beyond its limit. */
  isUsual: z.boolean(),
  /** Whether a deviation as large as that of the open alert would be detected here. */
  canDetect: z.boolean(),
  /** All known sums that end with this window. */
  sums: z.array(sumSchema).optional(),
});
/** The deviation of a window from the seasonal model (see `shared/statistics/seasonal.ts`). */
export type Surprise = z.infer<typeof surpriseSchema>;

const verdictReasonSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('gate'), gate: z.enum(GATES) }),
  z.object({ code: z.enum(['no-value', 'no-denominator']) }),
  z.object({
    code: z.enum([
      'no-season',
      'new-segment',
      'no-baseline',
      'not-comparable',
      'too-few-to-compare',
      'app-silent',
    ]),
  }),
  z.object({ code: z.literal('members'), firing: z.number(), of: z.number() }),
]);
/**
 * The reason of a verdict. `gate`: the result of that gate. The others name what was missing: a value of the window
 * (`no-denominator`: of a ratio), a season, history of a new segment, a baseline, or a way to compare the two.
 */
export type VerdictReason = z.infer<typeof verdictReasonSchema>;

export const evaluationSchema = z.object({
  current: windowReadingSchema,
  /** Its window is that of `current` if a model sets the expectation. */
  baseline: baselineSchema,
  /** The previous window as the service compares it; equal to the baseline for `previous_period`. */
  previous: readingSchema,
  /** Current minus baseline, scaled by hours, in the metric's unit; `null` if either has no value. */
  difference: z.number().nullable(),
  /** `difference / baseline`; 0 for 0 to 0, `null` for a rise from 0 (the kind "new"). */
  change: z.number().nullable(),
  gates: z.array(gateSchema),
  significance: significanceSchema.nullable(),
  /** `null` if the rule has no season or it is not known yet. */
  surprise: surpriseSchema.nullable(),
  verdict: z.enum(VERDICTS),
  reason: verdictReasonSchema,
  /** Whether a firing alert may count this window towards its recovery. */
  recovered: z.boolean(),
});
export type Evaluation = z.infer<typeof evaluationSchema>;

/** The factor that scales an amount of `baseline` to the hours of `current`; 1 for means. */
export function stretchOf(current: WindowReading, baseline: WindowReading): number {
  return current.weight === null ? hoursOf(current.window) / hoursOf(baseline.window) : 1;
}

/** The baseline value scaled to the hours of the window. */
export function comparableOf(evaluation: Evaluation): number | null {
  const { current, baseline } = evaluation;
  return baseline.value === null ? null : baseline.value * stretchOf(current, baseline);
}
