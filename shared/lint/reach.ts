import type { Bounds } from '../rules/bounds.ts';

/** The minimum of a figure, in its unit. */
export interface Least {
  current: number;
  baseline: number;
  difference: number;
}

/** The limit of the current figure: `slope * baseline + offset`. */
interface Line {
  slope: number;
  offset: number;
}

/** Current figures above all lines of `over` and below all lines of `under`. */
interface Region {
  over: Line[];
  under: Line[];
}

const KINDS = ['change', 'difference', 'current'] as const;

/** Whether any figures that are not negative exceed all of `bounds` and reach `least`. */
export function canBeBeyond(bounds: Bounds, least: Least): boolean {
  const ways = regionsOf(bounds).flatMap((region) => farApart(region, least.difference));
  return ways.some((region) => isPossible(region, least) || isPossibleFromZero(region, bounds, least));
}

/** A region for each combination of sides: a figure exceeds one side of every bound. */
function regionsOf(bounds: Bounds): Region[] {
  return KINDS.reduce<Region[]>(
    (regions, kind) => {
      const { above, below } = bounds[kind] ?? {};
      if (above === undefined && below === undefined) return regions;
      return regions.flatMap(({ over, under }) => [
        ...(above === undefined ? [] : [{ over: [...over, lineOf(kind, above)], under }]),
        ...(below === undefined ? [] : [{ over, under: [...under, lineOf(kind, below)] }]),
      ]);
    },
    [{ over: [], under: [] }],
  );
}

function lineOf(kind: (typeof KINDS)[number], bound: number): Line {
  switch (kind) {
    case 'change':
      return { slope: 1 + bound, offset: 0 };
    case 'difference':
      return { slope: 1, offset: bound };
    case 'current':
      return { slope: 0, offset: bound };
  }
}

/** A minimum of the difference applies to rises and falls. */
function farApart({ over, under }: Region, difference: number): Region[] {
  if (difference <= 0) return [{ over, under }];
  return [
    { over: [...over, { slope: 1, offset: difference }], under },
    { over, under: [...under, { slope: 1, offset: -difference }] },
  ];
}

function isPossible({ over, under }: Region, { current, baseline }: Least): boolean {
  const region = { over: [...over, { slope: 0, offset: current }], under };
  // The distance between lines is largest at the start, at a crossing, or far out where it grows without limit.
  const far = 1000 * (1 + baseline + Math.max(...[...over, ...under].map(({ offset }) => Math.abs(offset))));
  const places = [baseline, far, ...crossings(region.over), ...crossings(region.under)];
  return places.some((at) => at >= baseline && hasRoom(region, at));
}

/** A new figure has no baseline: it cannot fall, its rise exceeds every percentage, and it replaces its baseline. */
function isPossibleFromZero(
  { over, under }: Region,
  { change }: Bounds,
  { current, baseline }: Least,
): boolean {
  if (change && change.above === undefined) return false;
  return hasRoom({ over: [...over, { slope: 0, offset: Math.max(current, baseline) }], under }, 0);
}

function hasRoom({ over, under }: Region, baseline: number): boolean {
  const at = ({ slope, offset }: Line) => slope * baseline + offset;
  const low = Math.max(0, ...over.map(at));
  const high = Math.min(Infinity, ...under.map(at));
  return high - low > 1e-9 * Math.max(1, low);
}

function crossings(lines: Line[]): number[] {
  return lines.flatMap((a, i) =>
    lines.slice(i + 1).flatMap((b) => {
      const at = (b.offset - a.offset) / (a.slope - b.slope);
      return Number.isFinite(at) ? [at] : [];
    }),
  );
}
