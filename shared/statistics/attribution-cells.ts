/** What identifies a leaf. A value of `null` stands for all those that were folded into one: it is never named. */
export interface Valued {
  /** One for each dimension, in their order. */
  values: readonly (string | null)[];
}

/** All leaves that share these values of these dimensions. */
export interface Cell<L extends Valued> {
  /** Of the dimensions, in order. */
  places: readonly number[];
  values: readonly string[];
  leaves: readonly L[];
  /** How many cells there are of the same dimensions, this one among them. */
  siblings: number;
}

/** Every cell of at most `depth` of the `dimensions` (how many there are). */
export function cellsOf<L extends Valued>(
  leaves: readonly L[],
  dimensions: number,
  depth: number,
): Cell<L>[] {
  return choicesOf(dimensions, depth).flatMap((places) => {
    const groups = new Map<string, { values: string[]; leaves: L[] }>();
    for (const leaf of leaves) {
      const values = places.flatMap((place) => leaf.values[place] ?? []);
      if (values.length < places.length) continue;
      const key = JSON.stringify(values);
      const group = groups.get(key) ?? { values, leaves: [] };
      group.leaves.push(leaf);
      groups.set(key, group);
    }
    return [...groups.values()].map((group) => ({ places, ...group, siblings: groups.size }));
  });
}

/** Every choice of 1 to `depth` places of `count`, each in order. */
function choicesOf(count: number, depth: number): number[][] {
  const choices: number[][] = [[]];
  for (let place = 0; place < count; place++)
    choices.push(...choices.filter(({ length }) => length < depth).map((choice) => [...choice, place]));
  return choices.slice(1);
}

/**
 * The fullest description of a cell's leaves: with every value that all of them share and some others do not, as far
 * as `depth` allows. "Android, 5.2.0" says more than "5.2.0" where no other platform has that version. `cells` are
 * all there are of `leaves`.
 */
export function closureOf<L extends Valued>(
  cell: Cell<L>,
  { leaves, cells, depth }: { leaves: readonly L[]; cells: readonly Cell<L>[]; depth: number },
): Cell<L> {
  const shared = (leaves[0]?.values ?? []).flatMap((_, place) => {
    const inside = new Set(cell.leaves.map(({ values }) => values[place]));
    const isTelling = leaves.some(({ values }) => !inside.has(values[place]));
    return inside.size === 1 && isTelling && !cell.places.includes(place) ? [place] : [];
  });
  const places = [...cell.places, ...shared].slice(0, depth).toSorted((a, b) => a - b);
  const isFuller = (each: Cell<L>) =>
    each.leaves[0] === cell.leaves[0] && JSON.stringify(each.places) === JSON.stringify(places);
  return cells.find(isFuller) ?? cell;
}
