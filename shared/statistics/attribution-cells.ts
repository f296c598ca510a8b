/** The values that identify a leaf. `null` is the rest: several values that were combined. It is never a driver. */
export interface Valued {
  /** One per dimension, in the order of the dimensions. */
  values: readonly (string | null)[];
}

/** All leaves that share these values of these dimensions. */
export interface Cell<L extends Valued> {
  /** Indexes of the cell's dimensions, ascending. */
  places: readonly number[];
  values: readonly string[];
  leaves: readonly L[];
  /** Number of cells with the same dimensions, including this one. */
  siblings: number;
}

/** All cells of 1 to `depth` dimensions; `dimensions` is the number of dimensions. */
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

/** All combinations of 1 to `depth` of the indexes below `count`, each ascending. */
function choicesOf(count: number, depth: number): number[][] {
  const choices: number[][] = [[]];
  for (let place = 0; place < count; place++)
    choices.push(...choices.filter(({ length }) => length < depth).map((choice) => [...choice, place]));
  return choices.slice(1);
}

/**
 * The most specific cell with the same leaves, of at most `depth` dimensions. It adds each value that all of these
 * leaves share and some other leaves do not: "Android, 5.2.0" instead of "5.2.0" if only Android has that version.
 * `cells` must be all cells of `leaves`.
 */
export function closureOf<L extends Valued>(
  cell: Cell<L>,
  { leaves, cells, depth }: { leaves: readonly L[]; cells: readonly Cell<L>[]; depth: number },
): Cell<L> {
  const shared = (leaves[0]?.values ?? []).flatMap((_, place) => {
    const inside = new Set(cell.leaves.map(({ values }) => values[place]));
    const isSpecific = leaves.some(({ values }) => !inside.has(values[place]));
    return inside.size === 1 && isSpecific && !cell.places.includes(place) ? [place] : [];
  });
  const places = [...cell.places, ...shared].slice(0, depth).toSorted((a, b) => a - b);
  const isClosure = (each: Cell<L>) =>
    each.leaves[0] === cell.leaves[0] && JSON.stringify(each.places) === JSON.stringify(places);
  return cells.find(isClosure) ?? cell;
}
