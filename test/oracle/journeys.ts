import { chosen } from './choose.ts';
import { type Fact, visibleFacts } from './facts.ts';
import { factPasses } from './filters.ts';
import { folded, greatestFirst, isTime, unitsOf } from './groups.ts';
import { addDays, areMoreThan, bucketAt, localDate, moments, startOfDate } from './local-time.ts';
import { Refusal, type RequestCondition, type RequestGroup } from './requests.ts';
import type { World } from './rows.ts';
import { byCharacter } from './text-order.ts';
import { inWindow, type Window, windowsOf } from './windows.ts';

export interface RequestStep {
  readonly event_name?: string;
  readonly filters?: readonly RequestCondition[];
}

interface Shared {
  readonly filters?: readonly RequestCondition[];
  readonly group_by?: readonly RequestGroup[];
  readonly time_zone?: string;
}

export interface FunnelRequest extends Shared {
  readonly steps: readonly RequestStep[];
  readonly within_minutes: number;
}

export interface RetentionRequest extends Shared {
  readonly start?: RequestStep;
  readonly return?: RequestStep;
  readonly days: readonly number[];
}

type Row = Record<string, string | number | boolean | null>;
type Person = readonly Fact[];

const MOST_ROWS = 10_000;

/** @throws Refusal */
export function funnel(given: World, request: FunnelRequest): Row[] {
  const world = { ...given, zone: request.time_zone ?? given.zone };
  const [first = {}, ...further] = request.steps;
  for (const { filters = [] } of request.steps) windowsOf(filters, world);
  const [window] = windowsOf(request.filters ?? [], world);
  const most = request.within_minutes * 60_000;
  const events = visibleFacts(given).events;
  const entries = chosen('event', choiceOf(world, request.filters), window).filter(isStep(first, world));
  const reached = (entered: Person): number => {
    const start = Math.min(...entered.map(({ at }) => at));
    let [last, steps] = [start, 1];
    for (const step of further) {
      const next = events
        .filter((fact) => userOf(fact) === userOf(entered[0]) && fact.at > last && fact.at <= start + most)
        .filter(isStep(step, world));
      if (next.length === 0) break;
      last = Math.min(...next.map(({ at }) => at));
      steps += 1;
    }
    return steps;
  };
  return rowsOf({ world, window, groups: request.group_by ?? [], entries }, (users, end) => {
    const steps = users.map(reached);
    const counts = request.steps.map((_, at) => steps.filter((nth) => nth > at).length);
    const row: Row = {};
    for (const [at, count] of counts.entries()) {
      row[`step_${at + 1}`] = count;
      if (at > 0) row[`step_${at + 1}_share`] = share(count, counts[at - 1]);
    }
    return { ...row, conversion: share(counts.at(-1), counts[0]), complete: end + most <= world.now };
  });
}

/** @throws Refusal */
export function retention(given: World, request: RetentionRequest): Row[] {
  const world = { ...given, zone: request.time_zone ?? given.zone };
  const { zone } = world;
  for (const step of [request.start, request.return]) windowsOf(step?.filters ?? [], world);
  const [window] = windowsOf(request.filters ?? [], world);
  const { events } = visibleFacts(given);
  const back = events.filter(isStep(request.return ?? {}, world));
  const always = { from: -Infinity, to: Infinity };
  const matching = chosen('event', choiceOf(world, request.filters), always).filter(
    isStep(request.start ?? {}, world),
  );
  const entries = [...Map.groupBy(matching, userOf).values()]
    .flatMap((facts) => facts.toSorted(inOrder).slice(0, 1))
    .filter(({ at }) => inWindow(at, window));
  return rowsOf({ world, window, groups: request.group_by ?? [], entries }, (users, end) => {
    const lastDay = localDate(end - 1, zone);
    const row: Row = { users: users.length };
    let complete = true;
    for (const day of request.days) {
      const hasEnded = startOfDate(addDays(lastDay, day + 1), zone) <= world.now;
      complete &&= hasEnded;
      const count = users.filter(([entry]) => {
        const date = addDays(localDate(entry?.at ?? 0, zone), day);
        return back.some((fact) => userOf(fact) === userOf(entry) && localDate(fact.at, zone) === date);
      }).length;
      row[`day_${day}`] = hasEnded ? count : null;
      row[`day_${day}_share`] = hasEnded ? share(count, users.length) : null;
    }
    return { ...row, complete };
  });
}

const choiceOf = (world: World, filters: readonly RequestCondition[] = []) => ({
  seen: visibleFacts(world),
  zone: world.zone,
  filters,
});

const userOf = (fact: Fact | undefined): string => fact?.session.user_id ?? '';

const inOrder = (a: Fact, b: Fact): number =>
  a.at - b.at || byCharacter(a.event?.event_id ?? '', b.event?.event_id ?? '');

const isStep =
  ({ event_name: name, filters = [] }: RequestStep, { zone }: World) =>
  (fact: Fact): boolean =>
    (name === undefined || fact.event?.event_name === name) &&
    filters.every((filter) => factPasses(filter, fact, zone));

const share = (part = 0, whole = 0): number | null => (whole === 0 ? null : part / whole);

interface Entries {
  readonly world: World;
  readonly window: Window;
  readonly groups: readonly RequestGroup[];
  readonly entries: readonly Fact[];
}

/** The rows by time, then greatest first. `figures` gets the entries of each user of a row, and the end of its bucket. */
function rowsOf(
  { world: { zone }, window, groups, entries }: Entries,
  figures: (users: readonly Person[], end: number) => Row,
): Row[] {
  const units = unitsOf(groups);
  if (areMoreThan(MOST_ROWS, units, window.from, window.to)) throw new Refusal('INVALID_GROUP_BY');
  const countUsers = (facts: readonly Fact[]) => new Set(facts.map(userOf)).size;
  const keysOf = folded(groups, [entries], countUsers);
  const labelsAt = (at: number) => units.map((unit) => bucketAt(unit, at, zone));
  const times = units.length === 0 ? [window.to - 1] : moments(units, window.from, window.to);
  const steps = new Map(
    times.map((at) => [JSON.stringify(labelsAt(at)), { labels: labelsAt(at), last: at }]),
  );
  const axis = [...steps].map(([key, step]) => {
    const isIn = (at: number) => JSON.stringify(labelsAt(at)) === key;
    return { ...step, end: units.length === 0 ? window.to : endOf(step.last, isIn, window.to) };
  });
  const all = new Map(entries.map((fact) => [JSON.stringify(keysOf(fact)), keysOf(fact)]));
  if (groups.every(isTime)) all.set('[]', []);
  if (axis.length * Math.max(all.size, 1) > MOST_ROWS) throw new Refusal('INVALID_GROUP_BY');
  const cells = Map.groupBy(entries, (fact) => JSON.stringify([labelsAt(fact.at), keysOf(fact)]));
  return axis.flatMap(({ labels, end }) =>
    [...all.values()]
      .map((keys) => {
        const facts = cells.get(JSON.stringify([labels, keys])) ?? [];
        return { keys, size: countUsers(facts), users: [...Map.groupBy(facts, userOf).values()] };
      })
      .sort(greatestFirst)
      .map(({ keys, users }) => {
        const [nextLabel, nextKey] = [labels.values(), keys.values()];
        const named = groups.map((group) => [
          [group.attribute, group.property_name].filter((part) => part !== undefined).join('_'),
          (isTime(group) ? nextLabel.next().value : nextKey.next().value) ?? null,
        ]);
        return { ...Object.fromEntries(named), ...figures(users, end) };
      }),
  );
}

/** The end of the part of the window around its last moment in a bucket. */
function endOf(last: number, isIn: (at: number) => boolean, to: number): number {
  // Clocks change, and buckets end, only at full quarters of an hour.
  const quarter = 15 * 60_000;
  let end = last + 1;
  while (end < to && isIn(end)) end = (Math.floor(end / quarter) + 1) * quarter;
  return Math.min(end, to);
}
