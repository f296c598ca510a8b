import { attributeNamed, propertyText } from './attributes.ts';
import { chosen } from './choose.ts';
import { type Fact, whatIsSeen } from './facts.ts';
import { bucketAt, moments, type Unit } from './local-time.ts';
import { type Metric, metricsOf } from './metrics.ts';
import { type AnalyticsRequest, Refusal, type RequestGroup, type Resource } from './requests.ts';
import type { Properties, World } from './rows.ts';
import { type Window, windowsOf } from './windows.ts';

export type Row = Record<string, string | number | null>;
type Key = string | null;

const MOST_ROWS = 10_000;
const GROUPS_BY_DEFAULT = 50;

/** A group in one step of time, with its facts in the window and, where compared, in the one before. */
interface Cell {
  readonly labels: readonly string[];
  readonly keys: readonly Key[];
  readonly now: readonly Fact[];
  /** undefined: the window before has no such step. */
  readonly before: readonly Fact[] | undefined;
}

/**
 * Every row of an answer, in order; a change in percent is not rounded yet.
 * @throws Refusal
 */
export function analyze(world: World, resource: Resource, request: AnalyticsRequest): Row[] {
  const { filters = [], comparison = 0 } = request;
  const groups = request.group_by ?? (resource === 'screen' ? [{ attribute: 'screen_name' }] : []);
  const metrics = metricsOf(resource, request.aggregation);
  const [first] = metrics.values();
  if (first === undefined) throw new Error('no metric');
  const choice = { seen: whatIsSeen(world), zone: world.zone, filters };
  const windows = windowsOf(filters, world).slice(0, comparison + 1);
  const facts = windows.map((window) => chosen(resource, choice, window));
  const kept = groups.map((group) => (isTime(group) ? undefined : keptKeys(group, facts, first)));
  const keyOf = (fact: Fact): Key[] =>
    groups.flatMap((group, at) => {
      if (isTime(group)) return [];
      const key = groupKey(group, fact);
      return kept[at]?.has(key) ? key : 'others';
    });
  const units = groups.flatMap((group) =>
    isTime(group) ? (attributeNamed(group.attribute).unit ?? []) : [],
  );
  const axes = windows.map((window) => axisOf(units, window, world.zone));
  const labelOf = ({ at }: Fact) => JSON.stringify(labelsAt(units, at, world.zone));

  const keys = new Map(facts.flat().map((fact) => [JSON.stringify(keyOf(fact)), keyOf(fact)]));
  if (groups.every(isTime)) keys.set('[]', []);
  const [axis = [], axisBefore = []] = axes;
  if (axis.length * Math.max(keys.size, 1) > MOST_ROWS) throw new Refusal('INVALID_GROUP_BY');

  const cells = facts.map((part) =>
    Map.groupBy(part, (fact) => `${labelOf(fact)} ${JSON.stringify(keyOf(fact))}`),
  );
  return axis.flatMap((labels, step) => {
    const before = axisBefore[step];
    const at = (period: number, step: readonly string[], key: string) =>
      cells[period]?.get(`${JSON.stringify(step)} ${key}`) ?? [];
    return [...keys]
      .map(([key, parts]) => ({
        labels,
        keys: parts,
        now: at(0, labels, key),
        before: before && at(1, before, key),
      }))
      .map((cell) => ({ cell, rank: first(cell.now) ?? Number.NEGATIVE_INFINITY }))
      .sort((a, b) => descending(a.rank, b.rank) || inOrder(a.cell.keys, b.cell.keys))
      .map(({ cell }) => rowOf(cell, groups, metrics, comparison === 1));
  });
}

const isTime = ({ attribute }: RequestGroup): boolean => attributeNamed(attribute).kind === 'bucket';

function groupKey({ attribute, property_name: name }: RequestGroup, fact: Fact): Key {
  const value = attributeNamed(attribute).read(fact);
  if (name !== undefined) return propertyText(value as Properties, name);
  return value === null ? null : String(value);
}

/** The keys that get rows of their own: all of them, or the greatest where there are too many. */
function keptKeys(
  group: RequestGroup,
  facts: readonly (readonly Fact[])[],
  metric: Metric,
): ReadonlySet<Key> {
  const most = group.max_group_number ?? GROUPS_BY_DEFAULT;
  const periods = facts.map((part) => Map.groupBy(part, (fact) => groupKey(group, fact)));
  const all = new Set(periods.flatMap((period) => [...period.keys()]));
  if (all.size <= most) return all;
  const ranked = periods.flatMap((period) =>
    [...period]
      .filter(([key]) => key !== 'others')
      .map(([key, members]) => ({ key, rank: metric(members) ?? Number.NEGATIVE_INFINITY }))
      .sort((a, b) => descending(a.rank, b.rank) || inOrder([a.key], [b.key]))
      .map(({ key }) => key),
  );
  return new Set([...new Set(ranked)].slice(0, most));
}

const labelsAt = (units: readonly Unit[], at: number, zone: string): string[] =>
  units.map((unit) => bucketAt(unit, at, zone));

/** The steps of time that a window touches, in order; a single one where nothing is asked by time. */
function axisOf(units: readonly Unit[], { from, to }: Window, zone: string): string[][] {
  if (units.length === 0) return [[]];
  const found = new Map<string, string[]>();
  for (const at of moments(units, from, to)) {
    const labels = labelsAt(units, at, zone);
    found.set(JSON.stringify(labels), labels);
  }
  return [...found.values()];
}

function rowOf(
  { labels, keys, now, before }: Cell,
  groups: readonly RequestGroup[],
  metrics: ReadonlyMap<string, Metric>,
  compared: boolean,
): Row {
  const row: Row = {};
  const [nextLabel, nextKey] = [labels.values(), keys.values()];
  for (const group of groups) {
    const field = [group.attribute, group.property_name].filter((part) => part !== undefined).join('_');
    row[field] = (isTime(group) ? nextLabel.next().value : nextKey.next().value) ?? null;
  }
  for (const [field, metric] of metrics) {
    const [value, previous] = [metric(now), before === undefined ? null : metric(before)];
    row[field] = value;
    if (!compared) continue;
    row[`${field}_pct_change`] =
      value === null || previous === null || previous === 0 ? null : ((value - previous) / previous) * 100;
    row[`${field}_previous`] = previous;
  }
  return row;
}

const descending = (a: number, b: number): number => (a === b ? 0 : b - a);

/** By key, those without one last. */
function inOrder(a: readonly Key[], b: readonly Key[]): number {
  for (const [at, mine] of a.entries()) {
    const theirs = b[at] ?? null;
    if (mine === theirs) continue;
    if (mine === null || theirs === null) return mine === null ? 1 : -1;
    return byCharacter(mine, theirs);
  }
  return 0;
}

/** By code point, as databases order text; JavaScript's own order parts from it beyond U+FFFF. */
export function byCharacter(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
