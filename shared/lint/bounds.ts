import { boundsText, figure, percentText } from '../messages/figure-text.ts';
import { type Bounds, isOutside } from '../rules/bounds.ts';
import { canBeNegative } from '../rules/metric.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { Remark } from './findings.ts';
import { canBeBeyond, type Least } from './reach.ts';

type Kind = keyof Bounds;

const KINDS = ['change', 'difference', 'current'] as const satisfies Kind[];
const NOTHING: Least = { current: 0, baseline: 0, difference: 0 };

/** Bounds that no figure exceeds, that every figure exceeds, or that are probably a mistake. */
export function boundsRemarks(rule: FigureRule): Remark[] {
  const { fire } = rule;
  if (!fire) return [];
  const more = [...shareRemarks(rule), ...recoverRemarks(rule)];
  if (canBeNegative(metricOf(rule))) return more;
  const never = neverRemark(fire, rule);
  if (never) return [never];
  return [...alwaysRemarks(fire), ...halfIdleRemarks(fire), ...more];
}

function neverRemark(fire: Bounds, rule: FigureRule): Remark | undefined {
  if (canBeBeyond(fire, leastOf(rule))) return undefined;
  const code = 'bounds-never';
  const idle = KINDS.find((kind) => fire[kind] && !canBeBeyond({ [kind]: fire[kind] }, NOTHING));
  const [side] = idle ? idleSides({ [idle]: fire[idle] }) : [];
  if (side) return { code, path: ['fire', side.kind, side.side], message: `never fires: ${side.why}` };
  if (canBeBeyond(fire, NOTHING))
    return {
      code,
      path: ['minimum'],
      message: `never fires: a figure that reaches "minimum" cannot exceed the bounds of "fire" (${boundsText(fire)}); change one of them`,
    };
  return {
    code,
    path: ['fire'],
    message: `never fires: a figure must exceed all bounds at once, and none can exceed these (${boundsText(fire)}); remove one, or write two rules`,
  };
}

/** The `minimum` that applies to the figure. For means and ratios, `current` and `baseline` limit the weight instead. */
function leastOf(rule: FigureRule): Least {
  const { current, baseline, difference } = rule.minimum;
  return metricOf(rule).kind === 'count'
    ? { current, baseline, difference }
    : { current: 0, baseline: 0, difference };
}

/** Sides of bounds that no figure can exceed. */
function idleSides(bounds: Bounds): { kind: Kind; side: 'below'; why: string }[] {
  const side = 'below' as const;
  const { change, current } = bounds;
  return [
    ...(change?.below !== undefined && change.below <= -1
      ? [
          {
            kind: 'change' as const,
            side,
            why: 'nothing falls by more than 100%; write "-99%" or a smaller fall',
          },
        ]
      : []),
    ...(current?.below !== undefined && current.below <= 0
      ? [
          {
            kind: 'current' as const,
            side,
            why: 'no figure is below 0; to detect zero, write "below: 1"',
          },
        ]
      : []),
  ];
}

function halfIdleRemarks(fire: Bounds): Remark[] {
  return idleSides(fire).map(({ kind, side, why }) => ({
    code: 'bounds-half-idle',
    path: ['fire', kind, side],
    message: `this side of the bound is never exceeded: ${why}`,
  }));
}

/** Bounds that every figure exceeds, or that an unchanged figure exceeds. */
function alwaysRemarks(fire: Bounds): Remark[] {
  const given = KINDS.filter((kind) => fire[kind]);
  if (given.every((kind) => holdsAll(kind, fire[kind])))
    return [
      {
        code: 'bounds-always',
        path: ['fire'],
        message: `every figure exceeds these bounds (${boundsText(fire)}): "above" and "below" are two limits, not a range; swap them`,
      },
    ];
  const { current: _, ...moving } = fire;
  const hasMoved = given.some((kind) => kind !== 'current');
  if (!hasMoved || !isOutside(moving, { current: 0, difference: 0, change: 0 })) return [];
  return [unchangedRemark(moving)];
}

function holdsAll(kind: Kind, side: Bounds[Kind]): boolean {
  const { above, below } = side ?? {};
  if (above === undefined) return false;
  const floor = { change: -1, difference: -Infinity, current: 0 }[kind];
  return above < floor || (below !== undefined && above < below);
}

function unchangedRemark({ change, difference }: Bounds): Remark {
  const kind = change ? 'change' : 'difference';
  const given = change ?? difference;
  const text = kind === 'change' ? percentText : figure;
  const side = (given?.below ?? 0) > 0 ? 'below' : 'above';
  const bound = given?.[side] ?? 0;
  const meant =
    side === 'below'
      ? `to detect a fall, write "${kind === 'change' ? `-${Math.round(bound * 100)}%` : -bound}"`
      : 'to detect a rise, remove the minus sign';
  return {
    code: 'bounds-unchanged',
    path: ['fire', kind, side],
    message: `fires when the ${kind} is ${side} ${text(bound)}, so it fires without any change; ${meant}`,
  };
}

/** A bound above 1 on a ratio: probably a percentage was meant. */
function shareRemarks(rule: FigureRule): Remark[] {
  if (metricOf(rule).kind !== 'ratio') return [];
  return (['above', 'below'] as const).flatMap((side): Remark[] => {
    const bound = rule.fire?.current?.[side];
    if (bound === undefined || bound <= 1) return [];
    return [
      {
        code: 'bounds-of-share',
        path: ['fire', 'current', side],
        message: `the figure is a quotient, so ${bound} is ${bound * 100}%; for ${bound}%, write ${bound / 100}`,
      },
    ];
  });
}

function recoverRemarks({ fire, recover, recover_after }: FigureRule): Remark[] {
  if (!fire) return [];
  const unmoved = { current: 0, difference: 0, change: 0 };
  const moving = recover && { change: recover.change, difference: recover.difference };
  const isMoving = moving?.change !== undefined || moving?.difference !== undefined;
  if (moving && isMoving && isOutside(moving, unmoved) && !isOutside(fire, unmoved))
    return [
      {
        code: 'recover-out-of-reach',
        path: ['recover'],
        message: `a figure that is back at its baseline still exceeds these bounds (${boundsText(recover)}), so the alert continues; use a bound between that of "fire" and no change`,
      },
    ];
  const isSame = recover !== undefined && boundsText(recover) === boundsText(fire);
  if (!isSame && (recover !== undefined || recover_after.windows > 1)) return [];
  return [
    {
      code: 'recover-at-fire',
      path: [isSame ? 'recover' : 'recover_after'],
      message: `recovers at the bound at which it fires (${boundsText(fire)}), so a figure near it fires again and again; use a stricter "recover"${isSame ? '' : ', or several windows in "recover_after"'}`,
    },
  ];
}
