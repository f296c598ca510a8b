import type { ReplayEvent } from '../../local/replay/replayed.ts';
import type { RuleInput } from '../../shared/rules/define-rules.ts';
import { median } from '../../shared/statistics/dispersion.ts';

/** How a figure varied in the past, against its baseline. */
export interface Variation {
  /** Robust standard deviation of its relative change. */
  spread: number;
  /** The part of it that is chance at the median size. */
  chance: number;
  /** The median size: the value of a count, the denominator of a ratio. */
  size: number;
  windows: number;
  /** The shares of a ratio, and the denominator of each. */
  shares: Share[];
}

export interface Share {
  value: number;
  of: number;
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
        (current.weight ?? current.value ?? 0) < quietOf(size) ? [] : (change ?? []),
      );
      const values = own.flatMap(({ evaluation: { current } }) => current.value ?? []);
      const isShare = own.some(({ evaluation: { current } }) => current.weight !== null);
      const chance = chanceOf(values.length > 0 ? median(values) : 0, isShare ? size : null);
      const spread = Math.max(trimmedDeviation(changes), chance);
      const shares = own.flatMap(({ evaluation: { current } }) =>
        current.value === null || current.weight === null ? [] : { value: current.value, of: current.weight },
      );
      return [id, { spread, chance, size, windows: changes.length, shares }];
    }),
  );
}

/** A quarter of the usual size, so that quiet days of the week do not fire. */
export function quietOf(size: number): number {
  return twoDigits(Math.max(5, size / 4));
}

/**
 * Standard deviations beyond which a change fires: if normal, about once in 4,000 days, or as seldom on three of four
 * days; and about once in 300 weeks, as there are fewer of them.
 */
const DEVIATIONS = { day: 3.5, week: 2.75, threeOfFour: 1.6 };
/** Of these deviations, the share that a smaller window or segment must reach. */
const OF_SMALL = 0.75;
/** Smaller changes are seldom worth a message. */
const LEAST_CHANGE = 0.15;
/** A rule that fires only beyond these would miss what it is for. */
const MOST = { above: 4, below: 0.85 };
/**
 * From this fall on, and from this share of failures, three smaller ones within four days are the better sign: a fall by
 * half, and failures of half of the sessions, must be found.
 */
const DEEP = 0.5;

type Bounds = Pick<RuleInput, 'fire' | 'fire_after' | 'minimum'>;

/** The bounds of a rule whose figure varies like this; `undefined` if it varies too much to be watched. */
export function boundsFor(
  side: 'above' | 'below',
  { spread, chance, size }: Pick<Variation, 'spread' | 'chance' | 'size'>,
  factor: number,
  window: 'day' | 'week' = 'day',
): Bounds | undefined {
  const sign = side === 'above' ? 1 : -1;
  // On the scale of roots, where the variance of a count does not depend on its level.
  const change = (deviations: number) =>
    Math.max(LEAST_CHANGE, Math.abs(Math.max(0, 1 + (sign * factor * deviations * spread) / 2) ** 2 - 1));
  const alone = change(DEVIATIONS[window]);
  const isOfFour = window === 'day' && side === 'below' && alone > DEEP;
  const deviations = DEVIATIONS[isOfFour ? 'threeOfFour' : window];
  const most = isOfFour ? change(deviations) : alone;
  if (most > MOST[side]) return undefined;
  const allowed = (2 * Math.abs(Math.sqrt(1 + sign * most) - 1)) / (OF_SMALL * deviations);
  // The size at which chance and the rest of the spread together are what is allowed.
  const least = (chance ** 2 * size) / (allowed ** 2 - (spread ** 2 - chance ** 2));
  return {
    fire: { change: { [side]: percent(sign * most) } },
    ...(isOfFour && { fire_after: '3 of 4' }),
    minimum: { baseline: twoDigits(Math.max(quietOf(size), least)) },
  };
}

/** In steps of five percent, outwards. */
function percent(change: number): `${number}%` {
  return `${Math.sign(change) * Math.ceil(20 * Math.abs(change) - 1e-9) * 5}%`;
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}

/** The share of the days with the highest shares that may be incidents. */
const MAY_BE_INCIDENTS = 0.4;
/** The share of the days that may be too quiet to be watched. */
const QUIET = 0.1;
/** A share that is exceeded only beyond this is no sign of anything. */
const MOST_OF_A_SHARE = 0.9;

/**
 * A day with a larger share of failures has more than chance explains. The bound is absolute, because the relative
 * change of a rare failure says little. A day needs at least four failures. Days with far fewer sessions than usual do
 * not count.
 */
export function levelFor(shares: readonly Share[], factor: number): Bounds | undefined {
  if (shares.length === 0) return undefined;
  const size = median(shares.map((share) => share.of));
  const sizes = shares.map((share) => share.of).filter((of) => of >= size / 2);
  const least = twoDigits(
    Math.max(10, sizes.toSorted((a, b) => a - b)[Math.floor(QUIET * sizes.length)] ?? 0),
  );
  const days = shares.filter((share) => share.of >= least).toSorted((a, b) => a.value - b.value);
  const lowest = days.slice(0, Math.ceil((1 - MAY_BE_INCIDENTS) * days.length));
  const first = levelOf(lowest, least, factor * DEVIATIONS.day);
  const usual = days.filter(({ value }) => value <= first);
  const alone = levelOf(usual, least, factor * DEVIATIONS.day);
  const isOfFour = alone > DEEP;
  const level = isOfFour ? levelOf(usual, least, factor * DEVIATIONS.threeOfFour) : alone;
  if (!(level <= MOST_OF_A_SHARE)) return undefined;
  return {
    fire: { current: { above: twoDigits(level) } },
    ...(isOfFour && { fire_after: '3 of 4' }),
    minimum: { current: least },
  };
}

/** Above the share of all days together, for a day of `least`, on the scale where the variance of a share is constant. */
function levelOf(days: readonly Share[], least: number, deviations: number): number {
  const all = days.reduce((sum, share) => sum + share.of, 0);
  const usual = days.reduce((sum, share) => sum + share.value * share.of, 0) / all;
  const spread = usual > 0 ? trimmedDeviation(days.map(({ value }) => value / usual - 1)) : 0;
  const beyondChance = Math.max(0, (spread ** 2 * usual) / (1 - usual) - days.length / all);
  const deviation = Math.sqrt(beyondChance + 1 / least) / 2;
  const angle = Math.asin(Math.sqrt(usual)) + deviations * deviation;
  return Math.sin(Math.min(angle, Math.PI / 2)) ** 2;
}

/** An alert that a proposed rule would have sent. `at`: the end of its window. */
export type PastAlert = ReturnType<typeof alertsOf>[number];

/** The alerts of a rule in a replay, in order. */
export function alertsOf(ruleId: string, events: readonly ReplayEvent[]) {
  return events
    .flatMap((event) => (event.kind === 'sent' ? event.pending : []))
    .filter(({ alert, notification }) => alert.ruleId === ruleId && notification.transition === 'fired')
    .map(({ alert: { segment }, notification: { windowEndAt, evaluation } }) => ({
      segment,
      at: windowEndAt,
      change: evaluation?.change ?? null,
    }));
}
