import { attributeNamed, propertyText } from './attributes.ts';
import type { Fact } from './facts.ts';
import type { Unit } from './local-time.ts';
import type { Metric } from './metrics.ts';
import type { RequestGroup } from './requests.ts';
import type { Properties } from './rows.ts';
import { byCharacter } from './text-order.ts';

/** The group of a fact: a text, or null without a value. */
export type Key = string | null;

const GROUPS_BY_DEFAULT = 50;
const FOLD = 'others';

export const isTime = ({ attribute }: RequestGroup): boolean => attributeNamed(attribute).kind === 'bucket';

/** The field of a row with the key of a group. */
export const fieldOf = ({ attribute, property_name: name }: RequestGroup): string =>
  name === undefined ? attribute : `${attribute}_${name}`;

export const unitsOf = (groups: readonly RequestGroup[]): Unit[] =>
  groups.filter(isTime).flatMap(({ attribute }) => attributeNamed(attribute).unit ?? []);

/** Returns the groups of a fact besides time, after folding over all periods. */
export function folded(
  groups: readonly RequestGroup[],
  periods: readonly (readonly Fact[])[],
  metric: Metric,
): (fact: Fact) => Key[] {
  const apart = groups
    .filter((group) => !isTime(group))
    .map((group) => ({ group, kept: keptKeys(group, periods, metric) }));
  return (fact) =>
    apart.map(({ group, kept }) => {
      const key = keyOf(group, fact);
      return kept.has(key) ? key : FOLD;
    });
}

function keyOf({ attribute, property_name: name }: RequestGroup, fact: Fact): Key {
  const value = attributeNamed(attribute).read(fact);
  if (name !== undefined) return propertyText(value as Properties, name);
  return value === null ? null : String(value);
}

/** The keys that get their own rows: all of them, or the largest if there are too many. */
function keptKeys(
  group: RequestGroup,
  periods: readonly (readonly Fact[])[],
  metric: Metric,
): ReadonlySet<Key> {
  const most = group.max_group_number ?? GROUPS_BY_DEFAULT;
  const found = periods.map((facts) => Map.groupBy(facts, (fact) => keyOf(group, fact)));
  const all = new Set(found.flatMap((period) => [...period.keys()]));
  if (all.size <= most) return all;
  const ranked = found.flatMap((period) =>
    [...period]
      .filter(([key]) => key !== FOLD)
      .map(([key, facts]) => ({ keys: [key], size: metric(facts) }))
      .sort(greatestFirst)
      .flatMap(({ keys }) => keys),
  );
  return new Set([...new Set(ranked)].slice(0, most));
}

interface Sized {
  readonly keys: readonly Key[];
  readonly size: number | null;
}

/** The order of rows: by size, those without one last, then by key. */
export function greatestFirst(a: Sized, b: Sized): number {
  if (a.size === b.size) return inOrder(a.keys, b.keys);
  if (a.size === null || b.size === null) return a.size === null ? 1 : -1;
  return b.size - a.size;
}

function inOrder(a: readonly Key[], b: readonly Key[]): number {
  for (const [at, mine] of a.entries()) {
    const theirs = b[at] ?? null;
    if (mine === theirs) continue;
    if (mine === null || theirs === null) return mine === null ? 1 : -1;
    return byCharacter(mine, theirs);
  }
  return 0;
}
