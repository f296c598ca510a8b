import * as z from 'zod';
import { comparableOf, type Evaluation } from '../evaluation/evaluation.ts';
import { bandOf, bandSchema } from '../evaluation/expected-limits.ts';
import type { FigureRule } from '../rules/rule.ts';
import { windowSchema } from '../time/window.ts';
import { type Alert, alertKeySchema } from './alert.ts';
import { sizeOf } from './open-alert.ts';

export const moveSchema = alertKeySchema.extend({
  window: windowSchema,
  value: z.number(),
  baseline: z.number(),
  /** `null` for a rise from 0. */
  change: z.number().nullable(),
  /** `null` if the expected range is unknown. */
  band: bandSchema.nullable(),
});
/** A change from the baseline, whether it fired or not. */
export type Move = z.infer<typeof moveSchema>;

/** Moves that a batch stores: enough for a list of the largest of all batches. */
export const LARGEST_MOVES = 8;

/** The largest first. A rise from 0 counts as the largest. */
export function largestMoves(moves: Move[]): Move[] {
  return moves.toSorted((a, b) => sizeOfMove(b) - sizeOfMove(a)).slice(0, LARGEST_MOVES);
}

function sizeOfMove({ change }: Move): number {
  return change === null ? Infinity : Math.abs(change);
}

/**
 * The largest move of a rule among its series, in a window that ended at `fromEndAt` or later. `undefined` if none
 * moved, was evaluated or had enough volume.
 */
export function moveOf(rule: FigureRule, alerts: Alert[], fromEndAt: number): Move | undefined {
  const moved = alerts.filter(({ last }) => last && last.current.window.endAt >= fromEndAt && isMove(last));
  const [largest] = moved.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (!largest?.last) return undefined;
  const { ruleId, segment, last } = largest;
  const [value, baseline] = [last.current.value, comparableOf(last)];
  if (value === null || baseline === null) return undefined;
  return {
    ruleId,
    segment,
    window: last.current.window,
    value,
    baseline,
    change: last.change,
    band: bandOf(rule, last),
  };
}

function isMove({ verdict, difference, gates }: Evaluation): boolean {
  const isEvaluated = verdict === 'breached' || verdict === 'clear';
  const hasVolume = gates.every(({ gate, passed }) => gate !== 'volume' || passed);
  return isEvaluated && hasVolume && difference !== null && difference !== 0;
}

/** Whether the value is within the expected range; `undefined` if the range is unknown. */
export function isExpected({ value, band }: Move): boolean | undefined {
  return band ? (band.low ?? -Infinity) <= value && value <= (band.high ?? Infinity) : undefined;
}
