import * as z from 'zod';
import { percent } from '../text/text-schemas.ts';

const sides = <T extends z.ZodType<number, unknown>>(bound: T) =>
  z
    .strictObject({ above: bound.optional(), below: bound.optional() })
    .refine(({ above, below }) => above !== undefined || below !== undefined, {
      error: 'give "above", "below" or both',
    });

export const boundsSchema = z
  .strictObject({
    change: sides(percent).optional(),
    difference: sides(z.number()).optional(),
    current: sides(z.number()).optional(),
  })
  .refine((given) => Object.values(given).some((side) => side !== undefined), {
    error: 'give at least one of "change", "difference" and "current"',
  });

/**
 * Bounds that a window must exceed to breach: either side of a bound, and every bound that is given.
 * `change` is a ratio (0.5 is +50%). `difference` and `current` are in the metric's unit.
 */
export type Bounds = z.output<typeof boundsSchema>;

/** The figures that bounds are compared with. `change` is `null` for a rise from zero, which has no percentage. */
interface Measured {
  current: number;
  /** `null` without a baseline: then it exceeds no bound. */
  difference: number | null;
  change: number | null;
}

/** Whether the figures exceed every given bound. A rise from zero exceeds every upper bound of `change`. */
export function isOutside(bounds: Bounds, { current, difference, change }: Measured): boolean {
  const beyond = (
    side: { above?: number | undefined; below?: number | undefined } | undefined,
    value: number,
  ) => side === undefined || value > (side.above ?? Infinity) || value < (side.below ?? -Infinity);
  return (
    beyond(bounds.change, change ?? Infinity) &&
    beyond(bounds.difference, difference ?? 0) &&
    beyond(bounds.current, current)
  );
}

/**
 * The bound of the level that `current` exceeds, or "within". `undefined` if `change` or `difference` is bounded too.
 * The baseline plays no role: it may have exceeded the bound by more.
 */
export function levelOf(
  bounds: Bounds,
  current: number,
): { side: 'above' | 'below'; bound: number } | 'within' | undefined {
  if (!bounds.current || !isLevel(bounds)) return undefined;
  const { above, below } = bounds.current;
  if (above !== undefined && current > above) return { side: 'above', bound: above };
  return below !== undefined && current < below ? { side: 'below', bound: below } : 'within';
}

/** Whether the value alone is bounded, and no change. */
export function isLevel({ change, difference }: Bounds): boolean {
  return change === undefined && difference === undefined;
}

/** Whether the level alone is bounded, and only from above. */
export function isUpperLevel(bounds: Bounds | undefined): boolean {
  return bounds !== undefined && isLevel(bounds) && bounds.current?.below === undefined;
}

/**
 * Recover bounds outside the fire bounds, by their path in the rule. A rule with such a bound would fire and recover at
 * once. If the fire bounds themselves are reversed, they are the fault.
 */
export function outsideFireBounds(
  fire: Bounds | undefined,
  recover: Bounds | undefined,
): { path: string[]; message: string }[] {
  return (['change', 'difference', 'current'] as const).flatMap((kind) => {
    const outside = (['above', 'below'] as const).flatMap((side) => {
      const [fires, recovers] = [fire?.[kind]?.[side], recover?.[kind]?.[side]];
      if (recovers === undefined) return [];
      const path = ['recover', kind, side];
      if (fires === undefined) {
        const message = `"recover" has "${kind}.${side}", but "fire" does not; remove it here, or add it to "fire"`;
        return [{ path, message }];
      }
      const isOutside = side === 'above' ? recovers > fires : recovers < fires;
      const message = `must not be ${side} the bound of "fire", which is ${boundText(kind, fires)}`;
      return isOutside ? [{ path, message }] : [];
    });
    const reversed = outside.length > 0 ? reversedBound(kind, fire?.[kind]) : undefined;
    return reversed ? [{ path: ['fire', ...reversed.path], message: reversed.message }] : outside;
  });
}

/** Why a bound is reversed: every figure exceeds it (`always`), or one without any change does. */
export function reversedBound(
  kind: keyof Bounds,
  { above, below }: { above?: number | undefined; below?: number | undefined } = {},
): { path: string[]; message: string; always: boolean } | undefined {
  if (above !== undefined && below !== undefined && above < below) {
    const message =
      'every figure exceeds these bounds: "above" and "below" are two limits, not a range; swap them';
    return { path: [kind], message, always: true };
  }
  if (kind === 'current') return undefined;
  const side = (below ?? 0) > 0 ? 'below' : 'above';
  const bound = side === 'below' ? below : above;
  if (bound === undefined || (side === 'above' && bound >= 0)) return undefined;
  const message = `"${side}: ${boundText(kind, bound)}" holds without any change; to detect a ${side === 'below' ? 'fall' : 'rise'}, write "${boundText(kind, -bound)}"`;
  return { path: [kind, side], message, always: false };
}

/** The bound as the rule file has it, such as "-30%". */
function boundText(kind: keyof Bounds, bound: number): string {
  return kind === 'change' ? z.encode(percent, bound) : String(bound);
}
