import * as z from 'zod';
import type { Bounds } from '../rules/bounds.ts';
import { boundsLevel, type FigureRule } from '../rules/rule.ts';
import { comparableOf, type Evaluation, type Surprise } from './evaluation.ts';
import { asksForSeason } from './season.ts';

export const bandSchema = z.object({
  expected: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
/** The expected value, `null` for a plain threshold, and the limits beyond which a window breaches, `null` for none. */
export type ExpectedBand = z.infer<typeof bandSchema>;

/** A range of values that do not breach. */
interface ExpectedRange {
  low: number;
  high: number;
}

/** The band around the expected value. All bounds and the season must agree: beyond one of them may be clear. */
export function bandAround(
  rule: FigureRule,
  expected: number,
  surprise: Pick<Surprise, 'low' | 'high'> | null,
): ExpectedBand {
  const level = levelBand(rule);
  if (level) return level;
  const ranges = [
    ...(rule.fire ? expectedBounds(rule.fire, expected) : []),
    ...(surprise && asksForSeason(rule) ? [expectedSeason(rule, surprise)] : []),
  ];
  const { low, high } = nearest(expected, merged(ranges)) ?? { low: -Infinity, high: Infinity };
  // Counts and measures are never negative.
  return { expected, low: low > 0 ? low : null, high: Number.isFinite(high) ? high : null };
}

/** The band that an evaluation used; `null` if the baseline or the season was unknown. */
export function bandOf(rule: FigureRule, evaluation: Evaluation): ExpectedBand | null {
  const level = levelBand(rule);
  if (level) return level;
  const { surprise } = evaluation;
  const expected = comparableOf(evaluation);
  if (expected === null || (surprise === null && asksForSeason(rule))) return null;
  return bandAround(rule, expected, surprise);
}

/** The band of a rule that only bounds the value. */
export function levelBand(rule: FigureRule): ExpectedBand | undefined {
  if (!boundsLevel(rule)) return undefined;
  const { below = null, above = null } = rule.fire?.current ?? {};
  return { expected: null, low: below, high: above };
}

/** Whether the limits of the band are the expected range of a model, and not bounds of the rule. */
export function isModelled({ fire, anomaly }: FigureRule): boolean {
  return fire === undefined && anomaly === true;
}

function expectedBounds({ change, difference, current }: Bounds, expected: number): ExpectedRange[] {
  return [
    change && {
      low: expected * (1 + (change.below ?? -Infinity)),
      high: expected * (1 + (change.above ?? Infinity)),
    },
    difference && {
      low: expected + (difference.below ?? -Infinity),
      high: expected + (difference.above ?? Infinity),
    },
    current && { low: current.below ?? -Infinity, high: current.above ?? Infinity },
  ].flatMap((range) => (range ? [unlimited(range)] : []));
}

/** A bound on the change from an expected 0 is not a number. */
function unlimited({ low, high }: ExpectedRange): ExpectedRange {
  return { low: Number.isNaN(low) ? -Infinity : low, high: Number.isNaN(high) ? Infinity : high };
}

function expectedSeason(
  { anomaly }: FigureRule,
  { low, high }: Pick<Surprise, 'low' | 'high'>,
): ExpectedRange {
  return {
    low: anomaly === 'rise' ? -Infinity : low,
    high: anomaly === 'fall' ? Infinity : high,
  };
}

/** The same ranges without overlaps, ascending. */
function merged(ranges: ExpectedRange[]): ExpectedRange[] {
  const apart: ExpectedRange[] = [];
  const some = ranges.filter(({ low, high }) => low <= high);
  for (const each of some.toSorted((a, b) => a.low - b.low)) {
    const last = apart.at(-1);
    if (last && each.low <= last.high) last.high = Math.max(last.high, each.high);
    else apart.push({ ...each });
  }
  return apart;
}

function nearest(expected: number, ranges: ExpectedRange[]): ExpectedRange | undefined {
  const distance = ({ low, high }: ExpectedRange) => Math.max(0, low - expected, expected - high);
  return ranges.toSorted((a, b) => distance(a) - distance(b))[0];
}
