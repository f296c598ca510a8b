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
 * Bounds that a window must leave to breach. Within one bound either side is enough; of several bounds all must
 * be left. `change` is a ratio (0.5 is +50 %), `difference` and `current` are in the metric's unit.
 */
export type Bounds = z.output<typeof boundsSchema>;

/** What bounds are held against: `change` is `null` for a rise from zero, which has no percentage. */
interface Measured {
  current: number;
  difference: number;
  change: number | null;
}

/** Beyond a bound of every kind that is given. A rise from zero is beyond every upper bound of change. */
export function isOutside(bounds: Bounds, { current, difference, change }: Measured): boolean {
  const beyond = (
    side: { above?: number | undefined; below?: number | undefined } | undefined,
    value: number,
  ) => side === undefined || value > (side.above ?? Infinity) || value < (side.below ?? -Infinity);
  return (
    beyond(bounds.change, change ?? Infinity) &&
    beyond(bounds.difference, difference) &&
    beyond(bounds.current, current)
  );
}

/**
 * Where the only bounds are of the level: the one that `current` has left, "within" where it has left none. What it was
 * before takes no part in them, so it may have been further out still. `undefined` where bounds of a movement are given.
 */
export function levelOf(
  bounds: Bounds,
  current: number,
): { side: 'above' | 'below'; bound: number } | 'within' | undefined {
  if (!bounds.current || bounds.change || bounds.difference) return undefined;
  const { above, below } = bounds.current;
  if (above !== undefined && current > above) return { side: 'above', bound: above };
  return below !== undefined && current < below ? { side: 'below', bound: below } : 'within';
}

/** Whether the level alone is bounded, and only from above. */
export function isUpperLevel(bounds: Bounds | undefined): boolean {
  if (!bounds?.current || bounds.change || bounds.difference) return false;
  return bounds.current.above !== undefined && bounds.current.below === undefined;
}

/** Recover bounds that lie outside the fire bounds: a rule with such a bound would fire and recover at once. */
export function outsideFireBounds(
  fire: Bounds | undefined,
  recover: Bounds | undefined,
): { path: string[]; message: string }[] {
  const wrong: { path: string[]; message: string }[] = [];
  for (const kind of ['change', 'difference', 'current'] as const) {
    const [outer, inner] = [fire?.[kind], recover?.[kind]];
    if (!inner) continue;
    if (!outer) wrong.push({ path: [kind], message: `"fire" has no "${kind}" to recover from` });
    else
      for (const side of ['above', 'below'] as const) {
        const [fires, recovers] = [outer[side], inner[side]];
        if (recovers === undefined) continue;
        if (fires === undefined)
          wrong.push({ path: [kind, side], message: `"fire" has no "${side}" here: take it out` });
        else if (side === 'above' ? recovers > fires : recovers < fires)
          wrong.push({
            path: [kind, side],
            message: `must not lie ${side} the bound of "fire", ${boundText(kind, fires)}`,
          });
      }
  }
  return wrong;
}

/** "-30%", as it was written. */
function boundText(kind: keyof Bounds, bound: number): string {
  return kind === 'change' ? z.encode(percent, bound) : String(bound);
}
