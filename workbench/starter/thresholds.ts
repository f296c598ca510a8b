import type { ReplayEvent } from '../../local/replay/replayed.ts';
import type { RuleInput } from '../../shared/rules/define-rules.ts';
import { median } from '../../shared/statistics/dispersion.ts';

/** How a figure varied in the past, against its baseline. */
export interface Variation {
  /** Robust standard deviation of its relative change. */
  spread: number;
  /** The median size: the value of a count, the denominator of a ratio. */
  size: number;
  windows: number;
}

/** A median of four windows varies by this share of the variance of one. */
const OF_THE_BASELINE = 0.4;

/** The relative deviation of a count, or of a share of `size`, by chance alone; 0 for other figures. */
function chanceOf(value: number, size: number | null): number {
  if (value <= 0) return 0;
  if (size === null) return Math.sqrt((1 + OF_THE_BASELINE) / value);
  return value < 1 ? Math.sqrt(((1 + OF_THE_BASELINE) * (1 - value)) / (value * size)) : 0;
}

/** The share of the largest changes that is left out, because they may be incidents. */
const TRIMMED = 0.2;
/** The variance of a normal variate without its largest fifth: `1 - 2 z phi(z) / 0.8` with z = 1.2816. */
const TRIMMED_VARIANCE = 0.4377;

/** The standard deviation around 0 from all but the largest changes. `Infinity` without changes. */
function trimmedDeviation(changes: readonly number[]): number {
  const squares = changes.map((change) => change ** 2).toSorted((a, b) => a - b);
  const kept = squares.slice(0, Math.ceil((1 - TRIMMED) * squares.length));
  if (kept.length === 0) return Number.POSITIVE_INFINITY;
  return Math.sqrt(kept.reduce((sum, square) => sum + square, 0) / kept.length / TRIMMED_VARIANCE);
}

/** The variation of each rule, from the evaluations of a replay in which nothing fires. */
export function variationsIn(events: readonly ReplayEvent[]): Map<string, Variation> {
  const evaluated = events.filter((event) => event.kind === 'evaluated');
  return new Map(
    [...Map.groupBy(evaluated, ({ ruleId }) => ruleId)].map(([id, own]): [string, Variation] => {
      const sizes = own.flatMap(({ evaluation: { current } }) => current.weight ?? current.value ?? []);
      const size = sizes.length > 0 ? median(sizes) : 0;
      // Quiet days of the week say nothing about the others.
      const changes = own.flatMap(({ evaluation: { current, change } }) =>
        (current.weight ?? current.value ?? 0) < leastOf(size) ? [] : (change ?? []),
      );
      const values = own.flatMap(({ evaluation: { current } }) => current.value ?? []);
      const isShare = own.some(({ evaluation: { current } }) => current.weight !== null);
      const chance = chanceOf(values.length > 0 ? median(values) : 0, isShare ? size : null);
      const spread = Math.max(trimmedDeviation(changes), chance);
      return [id, { spread, size, windows: changes.length }];
    }),
  );
}

/** A quarter of the usual size, so that quiet days of the week do not fire; one significant digit. */
export function leastOf(size: number): number {
  return Math.max(5, Number((size / 4).toPrecision(1)));
}

/**
 * Standard deviations beyond which a change fires: if normal, about once in 30,000 days, or as seldom on three days in a
 * row; and about once in 700 weeks, as there are fewer of them.
 */
const DEVIATIONS = { day: 4, week: 3, threeInARow: 1.6 };
/** Smaller changes are seldom worth a message. */
const LEAST_CHANGE = 0.15;
/** A rule that fires only beyond these would miss what it is for. */
const MOST = { above: 4, below: 0.85 };
/** From this fall on, three smaller ones in a row are the better sign. */
const DEEP = 0.6;

type Side = 'above' | 'below';

/** The bounds of a rule with this spread; `undefined` if the figure varies too much to be watched. */
export function boundsFor(
  sides: readonly Side[],
  spread: number,
  factor: number,
  window: 'day' | 'week' = 'day',
): Pick<RuleInput, 'fire' | 'fire_after'> | undefined {
  const change = (deviations: number) => Math.max(LEAST_CHANGE, factor * deviations * spread);
  const alone = change(DEVIATIONS[window]);
  const isInARow = window === 'day' && sides.includes('below') && alone > DEEP;
  const most = isInARow ? change(DEVIATIONS.threeInARow) : alone;
  if (sides.some((side) => most > MOST[side])) return undefined;
  const bounds = {
    ...(sides.includes('above') && { above: percent(most) }),
    ...(sides.includes('below') && { below: percent(-most) }),
  };
  return { fire: { change: bounds }, ...(isInARow && { fire_after: '3 of 3' }) };
}

/** In steps of five percent, outwards. */
function percent(change: number): `${number}%` {
  return `${Math.sign(change) * Math.ceil(20 * Math.abs(change) - 1e-9) * 5}%`;
}

/** An alert that a proposed rule would have sent. */
export interface PastAlert {
  segment: string | null;
  /** The end of its window. */
  at: number;
  change: number | null;
}

/** The alerts of a rule in a replay, in order. */
export function alertsOf(ruleId: string, events: readonly ReplayEvent[]): PastAlert[] {
  return events
    .flatMap((event) => (event.kind === 'sent' ? event.pending : []))
    .filter(({ alert, notification }) => alert.ruleId === ruleId && notification.transition === 'fired')
    .map(({ alert: { segment }, notification: { windowEndAt, evaluation } }) => ({
      ...{ segment, at: windowEndAt, change: evaluation?.change ?? null },
    }));
}
