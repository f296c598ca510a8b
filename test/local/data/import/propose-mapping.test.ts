import { describe, expect, it } from 'vitest';
import { TIME_FORMATS } from '../../../../local/data/import/conversions.ts';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { proposeMapping } from '../../../../local/data/import/propose-mapping.ts';
import type { Sample } from '../../../../local/data/import/sample.ts';

const AT = '2026-03-01T10:00:00Z';

/** A sample of these records; `undefined` and "" count as empty. */
function sampleOf(...records: Record<string, unknown>[]): Sample {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return {
    records: records.length,
    first: records.map((values, i) => ({ line: i + 1, values })),
    columns: names.map((name) => ({
      name,
      isNested: false,
      values: records.map((record) => record[name]).filter((value) => value !== undefined && value !== ''),
    })),
  };
}

async function propose(records: Record<string, unknown>[], maps: string[] = [], properties: string[] = []) {
  const given = parseMapping(maps, [], properties);
  const proposal = await proposeMapping(sampleOf(...records), given, TIME_FORMATS);
  return { ...proposal, columns: undefined, mapped: Object.fromEntries(proposal.mapping.columns) };
}

describe('proposeMapping', () => {
  it('maps common column names, one column per field', async () => {
    const { mapped, timeFormat, missing, doubts, isGuessed } = await propose([
      { ts: '1772439243', uid: 'u', event: 'a', os: 'Windows', version: '1.10', plan: 'pro' },
    ]);
    expect(mapped).toEqual({
      ...{ recorded_at: 'ts', user_id: 'uid', event_name: 'event' },
      ...{ os_name: 'os', app_version: 'version' },
    });
    expect({ timeFormat, missing, doubts, isGuessed }).toEqual({
      ...{ timeFormat: 'unix', missing: [], doubts: [], isGuessed: true },
    });
  });

  it.each([
    ['iso', AT],
    ['iso', '2026-03-01 10:00:00.123000'],
    ['unix', 1772439243],
    ['unix-ms', '1772439243000'],
    ['unix-us', 1772439243000000],
  ])('reads %s from %s', async (format, time) => {
    expect((await propose([{ event: 'a', user: 'u', time }])).timeFormat).toBe(format);
  });

  it('guesses nothing beside a complete mapping', async () => {
    const given = ['event_name=what', 'user_id=who', 'recorded_at=when'];
    const { mapped, isGuessed } = await propose([{ what: 'a', who: 'u', when: AT, version: '1' }], given);
    expect(mapped).toEqual({ event_name: 'what', user_id: 'who', recorded_at: 'when' });
    expect(isGuessed).toBe(false);
  });

  it('chooses none of several equal columns, and counts their values', async () => {
    const { mapped, missing, doubts } = await propose([
      { event: 'a', time: AT, userId: '', anonymousId: 'x' },
      { event: 'a', time: AT, userId: 'u', anonymousId: 'y' },
    ]);
    expect(mapped).toEqual({ event_name: 'event', recorded_at: 'time' });
    expect(missing).toEqual(['user_id']);
    const columns = [
      { name: 'userId', filled: 1 },
      { name: 'anonymousId', filled: 2 },
    ];
    expect(doubts).toEqual([{ kind: 'several', field: 'user_id', columns }]);
  });

  it('does not use a partly empty user_id beside another id', async () => {
    const [first, second] = [
      { event: 'a', time: AT, amplitude_id: 5 },
      { event: 'a', time: AT, amplitude_id: 6 },
    ];
    expect(
      (
        await propose([
          { ...first, user_id: 'u' },
          { ...second, user_id: '' },
        ])
      ).missing,
    ).toEqual(['user_id']);
    expect(
      (
        await propose([
          { ...first, user_id: 'u' },
          { ...second, user_id: 'v' },
        ])
      ).missing,
    ).toEqual([]);
  });

  it('prefers the more specific of two names', async () => {
    const { mapped } = await propose([
      { event: 'a', name: 'Anna', type: 'x', user: 'u', customer: 'c', time: AT, date: AT },
    ]);
    expect(mapped).toEqual({ event_name: 'event', user_id: 'user', recorded_at: 'time' });
  });

  it.each([
    {
      name: 'an unknown platform',
      extra: { platform: 'desktop' },
      field: 'platform',
      says: 'is not android, ios or web',
    },
    {
      name: 'text instead of an object',
      extra: { props: 'x' },
      field: 'properties',
      says: 'not a JSON object',
    },
    {
      name: 'a time of day',
      extra: { ts: '10:00:00', date: '2026-03-01' },
      field: 'recorded_at',
      says: 'not a time',
    },
  ])('keeps $name as a property and reports why', async ({ extra, field, says }) => {
    const { mapping, doubts } = await propose([{ event: 'a', user: 'u', created_at: AT, ...extra }]);
    expect(doubts).toContainEqual(expect.objectContaining({ kind: 'unfit', field }));
    expect(doubts.map((doubt) => doubt.kind === 'unfit' && doubt.problem).join()).toContain(says);
    const [column = ''] = Object.keys(extra);
    expect([...mapping.columns.values()]).not.toContain(column);
  });

  it.each([
    ['mobile', { device_type: 'device' }],
    ['iPhone 16', { device_model: 'device' }],
    ['Android', { platform: 'device' }],
  ])('maps a device "%s" by its value', async (device, expected) => {
    const { mapped } = await propose([{ event: 'a', user: 'u', time: AT, device }]);
    expect(mapped).toEqual({ event_name: 'event', user_id: 'user', recorded_at: 'time', ...expected });
  });

  it.each([
    ['the platform from OS names that are all platforms', ['iOS', 'android'], 'os'],
    ['no platform if an OS name is not a platform', ['iOS', 'Windows'], undefined],
  ])('maps %s', async (_, systems, platform) => {
    const { mapped } = await propose(systems.map((os) => ({ event: 'a', user: 'u', time: AT, os })));
    expect(mapped).toMatchObject({ os_name: 'os' });
    expect(mapped.platform).toBe(platform);
  });
});
