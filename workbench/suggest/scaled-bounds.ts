import type { Bounds } from '../../shared/rules/bounds.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';

type Sides = { above?: number | undefined; below?: number | undefined };

/** Larger falls hardly exist, and a bound beyond would never be crossed. */
const LOWEST_CHANGE = -0.95;

/** 1.4 fires less, 0.7 more. Changes scale as ratios: twice as far as a half is a quarter, as double is fourfold. */
export function withScaledBounds(rule: FigureRule, factor: number): FigureRule {
  if (factor === 1 || !rule.fire) return rule;
  const fire = scaled(rule.fire, factor);
  const recover = rule.recover && inside(scaled(rule.recover, factor), fire);
  return { ...rule, fire, ...(recover && { recover }) };
}

function scaled({ change, difference, current }: Bounds, factor: number): Bounds {
  const far = (limit: number) => limit * factor;
  const ratio = (change: number) => (change === 0 ? 0 : Math.max(0, 1 + change) ** factor - 1);
  return {
    ...(change && { change: both(change, ratio, (limit) => wholePercent(Math.max(limit, LOWEST_CHANGE))) }),
    ...(difference && { difference: both(difference, far, twoDigits) }),
    // A lower bound on a level widens downwards.
    ...(current && {
      current: {
        ...(current.above !== undefined && { above: twoDigits(current.above * factor) }),
        ...(current.below !== undefined && { below: twoDigits(current.below / factor) }),
      },
    }),
  };
}

function both(
  { above, below }: Sides,
  far: (limit: number) => number,
  round: (limit: number) => number,
): Sides {
  return {
    ...(above !== undefined && { above: round(far(above)) }),
    ...(below !== undefined && { below: round(far(below)) }),
  };
}

/** Recovery bounds never lie outside the firing bounds, whatever the rounding. */
function inside(recover: Bounds, fire: Bounds): Bounds {
  const kinds = ['change', 'difference', 'current'] as const;
  const kept = kinds.flatMap((kind) => {
    const [inner, outer] = [recover[kind], fire[kind]];
    if (!inner) return [];
    const above = inner.above !== undefined && Math.min(inner.above, outer?.above ?? Infinity);
    const below = inner.below !== undefined && Math.max(inner.below, outer?.below ?? -Infinity);
    return [[kind, { ...(above !== false && { above }), ...(below !== false && { below }) }] as const];
  });
  return Object.fromEntries(kept);
}

/** Whole percents, and halves for small ones; only 0 is 0. */
function wholePercent(ratio: number): number {
  if (ratio === 0) return 0;
  const percents = Math.abs(ratio) * 100;
  const rounded = percents < 10 ? Math.max(0.5, Math.round(percents * 2) / 2) : Math.round(percents);
  return (Math.sign(ratio) * rounded) / 100;
}

function twoDigits(amount: number): number {
  return Number(amount.toPrecision(2));
}
