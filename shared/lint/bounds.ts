import { boundsText } from '../messages/figure-text.ts';
import { type Bounds, isOutside, reversedBound } from '../rules/bounds.ts';
import { canBeNegative } from '../rules/metric.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { Remark } from './findings.ts';

const KINDS = ['change', 'difference', 'current'] as const satisfies (keyof Bounds)[];

/** Bounds that no figure exceeds, that every figure exceeds, or that are probably a mistake. */
export function boundsRemarks(rule: FigureRule): Remark[] {
  const { fire } = rule;
  if (!fire) return [];
  const more = [...shareRemarks(rule), ...recoverRemarks(rule)];
  if (canBeNegative(metricOf(rule))) return more;
  const idle = idleRemarks(fire);
  return idle.length > 0 ? idle : [...alwaysRemarks(fire), ...more];
}

/** The lower limits that no figure can be below, and why. */
const FLOORS = {
  change: { floor: -1, why: 'nothing falls by more than 100%; write "-99%" or a smaller fall' },
  current: { floor: 0, why: 'no figure is below 0; to detect zero, write "below: 1"' },
};

/** Limits that no figure is below, without a limit above. */
function idleRemarks(fire: Bounds): Remark[] {
  return (['change', 'current'] as const).flatMap((kind): Remark[] => {
    const { floor, why } = FLOORS[kind];
    const { above, below } = fire[kind] ?? {};
    if (above !== undefined || below === undefined || below > floor) return [];
    return [{ code: 'bounds-never', path: ['fire', kind, 'below'], message: `never fires: ${why}` }];
  });
}

/** Bounds that every figure exceeds, or that an unchanged figure exceeds. */
function alwaysRemarks(fire: Bounds): Remark[] {
  return KINDS.flatMap((kind): Remark[] => {
    const reversed = reversedBound(kind, fire[kind]);
    if (!reversed) return [];
    const code = reversed.always ? 'bounds-always' : 'bounds-unchanged';
    return [{ code, path: ['fire', ...reversed.path], message: reversed.message }];
  });
}

/** A bound above 1 on a ratio: probably a percentage was meant. */
function shareRemarks(rule: FigureRule): Remark[] {
  if (metricOf(rule).kind !== 'ratio') return [];
  return (['above', 'below'] as const).flatMap((side): Remark[] => {
    const bound = rule.fire?.current?.[side];
    if (bound === undefined || bound <= 1) return [];
    const message = `the figure is a quotient, so ${bound} is ${bound * 100}%; for ${bound}%, write ${bound / 100}`;
    return [{ code: 'bounds-of-share', path: ['fire', 'current', side], message }];
  });
}

function recoverRemarks({ fire, recover, recover_after }: FigureRule): Remark[] {
  if (!fire) return [];
  const unmoved = { current: 0, difference: 0, change: 0 };
  const moving = recover && { change: recover.change, difference: recover.difference };
  const isMoving = moving?.change !== undefined || moving?.difference !== undefined;
  if (moving && isMoving && isOutside(moving, unmoved) && !isOutside(fire, unmoved)) {
    const message = `a figure that is back at its baseline still exceeds these bounds (${boundsText(recover)}), so the alert continues; use a bound between that of "fire" and no change`;
    return [{ code: 'recover-out-of-reach', path: ['recover'], message }];
  }
  const isSame = recover !== undefined && boundsText(recover) === boundsText(fire);
  if (!isSame && (recover !== undefined || recover_after.windows > 1)) return [];
  const message = `recovers at the bound at which it fires (${boundsText(fire)}), so a figure near it fires again and again; use a stricter "recover"${isSame ? '' : ', or several windows in "recover_after"'}`;
  return [{ code: 'recover-at-fire', path: [isSame ? 'recover' : 'recover_after'], message }];
}
