import { chosen } from './choose.ts';
import { type Fact, visibleFacts } from './facts.ts';
import { fieldOf, folded, greatestFirst, isTime, type Key, unitsOf } from './groups.ts';
import { areMoreThan, bucketAt, moments, type Unit } from './local-time.ts';
import { type Metric, metricsOf } from './metrics.ts';
import { inAskedOrder } from './order.ts';
import { type AnalyticsRequest, Refusal, type RequestGroup, type Resource } from './requests.ts';
import type { World } from './rows.ts';
import { type Window, windowsOf } from './windows.ts';

export type Row = Record<string, string | number | null>;

const MOST_ROWS = 10_000;

/**
 * Every row of an answer, in order; a change in percent is not rounded yet.
 * @throws Refusal
 */
export function analyze(given: World, resource: Resource, request: AnalyticsRequest): Row[] {
  const { filters = [], comparison = 0, group_by: asked } = request;
  const world = { ...given, zone: request.time_zone ?? given.zone };
  const groups = asked ?? (resource === 'screen' ? [{ attribute: 'screen_name' }] : []);
  const metrics = metricsOf(resource, request.aggregation);
  const [first = () => 0] = metrics.values();
  const { zone } = world;
  const windows = windowsOf(filters, world).slice(0, comparison + 1);
  const facts = windows.map((window) =>
    chosen(resource, { seen: visibleFacts(given), zone, filters }, window),
  );
  const units = unitsOf(groups);
  if (windows.some(({ from, to }) => areMoreThan(MOST_ROWS, units, from, to)))
    throw new Refusal('INVALID_GROUP_BY');
  const keysOf = folded(groups, facts, first);
  const periods = windows.map((window, at) => periodOf(facts[at] ?? [], { window, zone, units, keysOf }));

  const all = new Map(facts.flat().map((fact) => [JSON.stringify(keysOf(fact)), keysOf(fact)]));
  if (groups.every(isTime)) all.set('[]', []);
  const [current, previous] = periods;
  const steps = current?.axis ?? [];
  if (steps.length * Math.max(all.size, 1) > MOST_ROWS) throw new Refusal('INVALID_GROUP_BY');
  const rows = steps.flatMap((labels, step) =>
    [...all.values()]
      .map((keys): Cell => {
        const now = current?.at(step, keys) ?? [];
        return { labels, keys, now, before: previous?.at(step, keys), size: first(now) };
      })
      .sort(greatestFirst)
      .map((cell) => rowOf(cell, groups, metrics, comparison === 1)),
  );
  return inAskedOrder(rows, request);
}

interface Period {
  /** The steps of time that the window touches, in order; a single one without a group by time. */
  readonly axis: readonly (readonly string[])[];
  /** The facts of one step with these keys; undefined if the step does not exist. */
  at(step: number, keys: readonly Key[]): readonly Fact[] | undefined;
}

interface Shape {
  readonly window: Window;
  readonly zone: string;
  readonly units: readonly Unit[];
  readonly keysOf: (fact: Fact) => readonly Key[];
}

function periodOf(facts: readonly Fact[], { window, zone, units, keysOf }: Shape): Period {
  const labelsAt = (at: number) => units.map((unit) => bucketAt(unit, at, zone));
  const labels = units.length === 0 ? [[]] : moments(units, window.from, window.to).map(labelsAt);
  const axis = [...new Map(labels.map((one) => [JSON.stringify(one), one])).values()];
  const cells = Map.groupBy(facts, (fact) => JSON.stringify([labelsAt(fact.at), keysOf(fact)]));
  return {
    axis,
    at: (step, keys) => axis[step] && (cells.get(JSON.stringify([axis[step], keys])) ?? []),
  };
}

/** A group in one step of time, with its facts in the window and in the one before. */
interface Cell {
  readonly labels: readonly string[];
  readonly keys: readonly Key[];
  readonly now: readonly Fact[];
  readonly before: readonly Fact[] | undefined;
  readonly size: number | null;
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
    row[fieldOf(group)] = (isTime(group) ? nextLabel.next().value : nextKey.next().value) ?? null;
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
