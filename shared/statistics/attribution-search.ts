import { type Cell, cellsOf, closureOf, type Valued } from './attribution-cells.ts';
import { isMoreThanItsSize, LEAST_SHARE, LEAST_SHARE_BESIDE, MOST_DRIVERS } from './attribution-driver.ts';
import { type Expectation, gainOf, standsOut, sum } from './attribution-gain.ts';

type ExpectedLeaf = Valued & Expectation;

/** A further cell belongs to the cause if it adds at least this share of the first cell's score. */
const LEAST_GAIN_BESIDE = 0.4;

/**
 * Variance between the factors of the leaves of one cause, by the number of dimensions. With fewer dimensions each
 * leaf sums over more rows, and the differences between rows average out.
 */
const HETEROGENEITY: Readonly<Record<number, number>> = { 1: 0, 2: 0.01 };
const MOST_HETEROGENEITY = 0.25;

export interface Cause<L extends ExpectedLeaf> {
  /** One to three cells of the same dimensions, the highest score first. */
  cells: Cell<L>[];
  /** The first cell's log likelihood ratio, minus the log of the number of cells with the same dimensions. */
  score: number;
  /** Whether the cells together changed differently from all others (`standsOut`). */
  isApart: boolean;
}

interface Candidate<L extends ExpectedLeaf> {
  cell: Cell<L>;
  score: number;
  shareOfChange: number;
}

/**
 * The cell of at most `depth` dimensions that explains most of the overall change if all its leaves changed by one
 * factor, with up to two cells of the same dimensions that changed alike. Prefers a cause that stands out against all
 * other leaves (`isApart`), and the most specific description of it. `null` if no cell explains more than its size.
 */
export function searchCause<L extends ExpectedLeaf>(
  leaves: readonly L[],
  dimensions: number,
  depth: number,
): Cause<L> | null {
  const heterogeneity = HETEROGENEITY[dimensions] ?? MOST_HETEROGENEITY;
  const cells = cellsOf(leaves, dimensions, depth);
  const candidates = candidatesAmong(cells, leaves, heterogeneity);
  let alike: Cause<L> | null = null;
  for (const { cell, score, shareOfChange } of candidates) {
    if (shareOfChange < LEAST_SHARE) continue;
    const first = closureOf(cell, { leaves, cells, depth });
    const others = candidates.map((each) => each.cell).filter((each) => isBeside(each, first));
    const chosen = withOthers(first, others, heterogeneity);
    if (!areMoreThanTheirSize(chosen, leaves)) continue;
    const isApart = areApart(chosen, leaves);
    if (isApart) return { cells: chosen, score, isApart };
    alike ??= { cells: chosen, score, isApart };
  }
  return alike;
}

/** The cells that changed in the direction of the whole and by at least its factor, the highest score first. */
function candidatesAmong<L extends ExpectedLeaf>(
  cells: readonly Cell<L>[],
  leaves: readonly L[],
  heterogeneity: number,
): Candidate<L>[] {
  const whole = changeOf(leaves);
  return cells
    .flatMap((cell) => {
      const own = changeOf(cell.leaves);
      const shareOfChange = own.change / whole.change;
      const isSmall = !(shareOfChange >= Math.max(LEAST_SHARE_BESIDE, own.expected / whole.expected));
      return isSmall ? [] : [{ cell, score: scoreOf([cell], heterogeneity), shareOfChange }];
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

/** Tests the cells together: of two large values with the same fall, neither stands out alone. */
function areMoreThanTheirSize<L extends ExpectedLeaf>(
  cells: readonly Cell<L>[],
  leaves: readonly L[],
): boolean {
  const own = changeOf(cells.flatMap((cell) => cell.leaves));
  const whole = changeOf(leaves);
  return isMoreThanItsSize(own.change / whole.change, own.expected / whole.expected);
}

function areApart<L extends ExpectedLeaf>(cells: readonly Cell<L>[], leaves: readonly L[]): boolean {
  const inside = new Set(cells.flatMap((cell) => cell.leaves));
  const [{ siblings } = { siblings: 1 }] = cells;
  const others = leaves.filter((leaf) => !inside.has(leaf));
  return standsOut(totalOf([...inside]), totalOf(others), siblings);
}

function totalOf(leaves: readonly Expectation[]): Expectation {
  return { amount: sum(leaves, ({ amount }) => amount), expected: sum(leaves, ({ expected }) => expected) };
}

function changeOf(leaves: readonly Expectation[]): { expected: number; change: number } {
  const expected = sum(leaves, (leaf) => leaf.expected);
  return { expected, change: sum(leaves, ({ amount }) => amount) - expected };
}

/** The cells' common log likelihood ratio, minus a penalty for the search: the log of the number of candidates. */
function scoreOf(cells: readonly Cell<ExpectedLeaf>[], heterogeneity: number): number {
  const gain = gainOf(
    cells.flatMap(({ leaves }) => leaves),
    heterogeneity,
  );
  return gain - sum(cells, ({ siblings }) => Math.log(siblings));
}

function isBeside<L extends ExpectedLeaf>(cell: Cell<L>, first: Cell<L>): boolean {
  const isOfSameDimensions = JSON.stringify(cell.places) === JSON.stringify(first.places);
  return isOfSameDimensions && JSON.stringify(cell.values) !== JSON.stringify(first.values);
}

/** Adds cells as long as one common factor for all of them explains much more. */
function withOthers<L extends ExpectedLeaf>(
  first: Cell<L>,
  others: readonly Cell<L>[],
  heterogeneity: number,
): Cell<L>[] {
  const alone = scoreOf([first], heterogeneity);
  let chosen = [first];
  let reached = alone;
  while (chosen.length < MOST_DRIVERS) {
    const [next] = others
      .filter((cell) => !chosen.includes(cell))
      .map((cell) => ({ cell, score: scoreOf([...chosen, cell], heterogeneity) }))
      .toSorted((a, b) => b.score - a.score);
    if (!next || next.score - reached < LEAST_GAIN_BESIDE * alone) break;
    chosen = [...chosen, next.cell];
    reached = next.score;
  }
  return chosen;
}
