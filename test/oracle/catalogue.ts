import { type Fact, visibleFacts } from './facts.ts';
import type { World } from './rows.ts';
import { byCharacter } from './text-order.ts';
import { inWindow, windowsOf } from './windows.ts';

const NEWEST = 100;

/** The names of events of the last 30 days, the most frequent first, with their properties. */
export function catalogue(world: World): object[] {
  const [window] = windowsOf([], world);
  const facts = visibleFacts(world).events.filter(({ at }) => inWindow(at, window));
  const names = [...Map.groupBy(facts, ({ event }) => event?.event_name ?? '')];
  names.sort(([a, some], [b, others]) => others.length - some.length || byCharacter(a, b));
  return names.map(([name, all]) => {
    const times = all.map(({ at }) => at);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    // The part of the time in which twice the hundred events would be if they were spread evenly.
    const since = last - ((last - first) * 2 * NEWEST) / all.length;
    const newest = all
      .filter(({ at }) => at >= since)
      .sort((a, b) => b.at - a.at || byCharacter(idOf(a), idOf(b)))
      .slice(0, NEWEST);
    return {
      event_name: name,
      event_count: all.length,
      first_seen: new Date(first).toISOString(),
      last_seen: new Date(last).toISOString(),
      properties: propertiesOf(newest.map(({ event }) => event?.properties ?? {})),
    };
  });
}

const idOf = ({ event }: Fact): string => event?.event_id ?? '';

function propertiesOf(maps: readonly object[]): object[] {
  const found = new Map<string, unknown[]>();
  for (const map of maps)
    for (const [name, value] of Object.entries(map))
      if (value !== null) found.set(name, [...(found.get(name) ?? []), value]);
  return byFrequency([...found]).map(([name, values]) => {
    const scalars = values.filter((value) => typeof value !== 'object');
    const alike = Map.groupBy(scalars, (value) => JSON.stringify(value));
    return {
      property_name: name,
      share: values.length / maps.length,
      types: ['boolean', 'list', 'map', 'number', 'string'].filter((type) =>
        values.some((one) => typeIn(one) === type),
      ),
      values: byFrequency([...alike])
        .slice(0, 5)
        .map(([text]) => JSON.parse(text) as unknown),
    };
  });
}

const byFrequency = (groups: [string, unknown[]][]) =>
  groups.sort(([a, some], [b, others]) => others.length - some.length || byCharacter(a, b));

function typeIn(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'map' : typeof value;
}
