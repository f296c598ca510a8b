import type { CatalogueEntry } from '../../../shared/contract/records.ts';
import { MINUTE_MS } from '../../../shared/units/durations.ts';
import type { Row } from '../engines/engine.ts';
import { newestEvents } from '../queries/catalogue.ts';
import { windowOf } from '../time/windows.ts';
import { type Answer, type Call, numbered, queryRunner } from './read-context.ts';
import { propertyMap, timeOf } from './records.ts';
import { compareKeys } from './result-rows.ts';

const MOST_PROPERTIES = 100;
const MOST_VALUES = 5;

/** The events of the last 30 days by name, as they were at most a minute ago. */
export async function eventCatalogue(_: object, call: Call): Promise<Answer> {
  const { id, zone } = call.app.settings;
  const known = call.catalogues.get(id);
  if (known !== undefined && call.now < known.readAt + MINUTE_MS) return known.answer;
  const { span } = windowOf([], zone, call.now);
  const rows = await queryRunner(call)(newestEvents({ span, now: call.now }));
  const data = [...Map.groupBy(rows, ({ g0 }) => String(g0)).values()]
    .map(entryOf)
    .sort((a, b) => b.event_count - a.event_count || compareKeys(a.event_name, b.event_name));
  const answer = { data, pagination: numbered(1, data.length, data.length) };
  call.catalogues.set(id, { readAt: call.now, answer });
  return answer;
}

function entryOf(rows: readonly Row[]): CatalogueEntry {
  const [{ g0, m0, m1, m2 } = {}] = rows;
  const all = rows
    .flatMap(({ properties }) => Object.entries(propertyMap(properties)))
    .filter(([, value]) => value !== null);
  return {
    ...{ event_name: String(g0), event_count: Number(m0), first_seen: timeOf(m1), last_seen: timeOf(m2) },
    properties: mostFrequent(all, ([name]) => name)
      .slice(0, MOST_PROPERTIES)
      .map((found) => ({ ...propertyOf(found), share: found.length / rows.length })),
  };
}

function propertyOf(found: readonly [string, unknown][]) {
  const values = found.map(([, value]) => value);
  return {
    property_name: found[0]?.[0] ?? '',
    types: [...new Set(values.map(typeOf))].sort(),
    values: mostFrequent(values.filter(isScalar), JSON.stringify)
      .slice(0, MOST_VALUES)
      .flatMap(([value]) => value ?? []),
  };
}

/** Items in groups of the same key, the largest first. */
const mostFrequent = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] =>
  [...Map.groupBy(items, (item) => keyOf(item))]
    .sort(([a, one], [b, other]) => other.length - one.length || compareKeys(a, b))
    .map(([, group]) => group);

type Type = CatalogueEntry['properties'][number]['types'][number];
const isScalar = (value: unknown): value is string | number | boolean => typeof value !== 'object';
const typeOf = (value: unknown): Type =>
  Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : (typeof value as Type);
