import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { proposeMapping } from '../../../../local/data/import/propose-mapping.ts';
import type { Sample } from '../../../../local/data/import/sample.ts';

const AT = '2026-03-01T10:00:00Z';

/** A sample of these records; `undefined` and "" count as empty. */
function sampleOf(...records: Record<string, unknown>[]): Sample {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return {
    first: records.map((values, i) => ({ line: i + 1, values })),
    columns: names.map((name) => ({
      name,
      isNested: false,
      values: records.map((record) => record[name]).filter((value) => value !== undefined && value !== ''),
    })),
  };
}

function propose(records: Record<string, unknown>[], maps: string[] = [], properties: string[] = []) {
  const given = parseMapping(maps, [], properties);
  const proposal = proposeMapping(sampleOf(...records), given);
  return { ...proposal, columns: undefined, mapped: Object.fromEntries(proposal.mapping.columns) };
}

describe('proposeMapping', () => {
  it('maps common column names, one column per field', () => {
    const { mapped, timeFormat, missing, isGuessed } = propose([
      { ts: '1772439243', uid: 'u', event: 'a', os: 'Windows', version: '1.10', plan: 'pro' },
    ]);
    expect(mapped).toEqual({
      ...{ recorded_at: 'ts', user_id: 'uid', event_name: 'event' },
      ...{ os_name: 'os', app_version: 'version' },
    });
    expect({ timeFormat, missing, isGuessed }).toEqual({ timeFormat: 'unix', missing: [], isGuessed: true });
  });

  it.each([
    ['iso', AT],
    ['iso', '2026-03-01 10:00:00.123000'],
    ['unix', 1772439243],
    ['unix-ms', '1772439243000'],
    ['unix-us', 1772439243000000],
  ])('reads %s from %s', (format, time) => {
    expect(propose([{ event: 'a', user: 'u', time }]).timeFormat).toBe(format);
  });

  it('guesses nothing beside a complete mapping', () => {
    const given = ['event_name=what', 'user_id=who', 'recorded_at=when'];
    const { mapped, isGuessed } = propose([{ what: 'a', who: 'u', when: AT, version: '1' }], given);
    expect(mapped).toEqual({ event_name: 'what', user_id: 'who', recorded_at: 'when' });
    expect(isGuessed).toBe(false);
  });

  it('chooses the first of several equal columns', () => {
    const { mapped, missing } = propose([
      { event: 'a', time: AT, userId: 'u', anonymousId: 'x' },
      { event: 'a', time: AT, userId: 'u', anonymousId: 'y' },
    ]);
    expect(mapped).toEqual({ event_name: 'event', recorded_at: 'time', user_id: 'userId' });
    expect(missing).toEqual([]);
  });

  it('prefers the more specific of two names', () => {
    const { mapped } = propose([
      { event: 'a', name: 'Anna', type: 'x', user: 'u', customer: 'c', time: AT, date: AT },
    ]);
    expect(mapped).toEqual({ event_name: 'event', user_id: 'user', recorded_at: 'time' });
  });

  it.each([
    ['an unknown platform', { platform: 'desktop' }],
    ['text instead of an object', { props: 'x' }],
    ['a time of day', { ts: '10:00:00', date: '2026-03-01' }],
    ['an object instead of a name', { country: { code: 'DE' } }],
  ])('keeps %s as a property', (_, extra) => {
    const { mapping, missing } = propose([{ event: 'a', user: 'u', created_at: AT, ...extra }]);
    const [column = ''] = Object.keys(extra);
    expect([...mapping.columns.values()]).not.toContain(column);
    expect(missing).toEqual([]);
  });

  it('keeps a counter as a property beside the id of the events', () => {
    const { mapped, mapping } = propose([
      { event: 'a', user: 'u', time: AT, event_id: 38, $insert_id: 'i-1' },
      { event: 'a', user: 'u', time: AT, event_id: 38, $insert_id: 'i-2' },
    ]);
    expect(mapped.event_id).toBe('$insert_id');
    expect([...mapping.properties]).toEqual(['event_id']);
  });

  it.each([
    ['the platform from OS names that are all platforms', ['iOS', 'android'], 'os'],
    ['no platform if an OS name is not a platform', ['iOS', 'Windows'], undefined],
  ])('maps %s', (_, systems, platform) => {
    const { mapped } = propose(systems.map((os) => ({ event: 'a', user: 'u', time: AT, os })));
    expect(mapped).toMatchObject({ os_name: 'os' });
    expect(mapped.platform).toBe(platform);
  });
});
