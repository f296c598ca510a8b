import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { proposeMapping } from '../../../../local/data/import/propose-mapping.ts';
import type { Sample } from '../../../../local/data/import/sample.ts';
import { TIME_FORMATS } from '../../../../local/data/import/times.ts';

const AT = '2026-03-01T10:00:00Z';

/** A sample of records that all have their keys; `undefined` and "" count as empty. */
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

function propose(records: Record<string, unknown>[], maps: string[] = [], properties: string[] = []) {
  const given = parseMapping(maps, [], properties);
  const proposal = proposeMapping(sampleOf(...records), given, TIME_FORMATS);
  return { ...proposal, columns: undefined, mapped: Object.fromEntries(proposal.mapping.columns) };
}

describe('proposeMapping', () => {
  it('takes usual names, a column for each field', () => {
    const { mapped, timeFormat, missing, doubts, isGuessed } = propose([
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
  ])('reads %s from %s', (format, time) => {
    expect(propose([{ event: 'a', user: 'u', time }]).timeFormat).toBe(format);
  });

  it('asks nothing of a file that spells the fields exactly, in either of their names', () => {
    const exact = {
      event_name: 'a',
      user_id: 'u',
      recorded_at: AT,
      device_country: 'DE',
      os_name: 'ios',
      x: 1,
    };
    expect(propose([exact])).toMatchObject({ isGuessed: false, missing: [], doubts: [], mapped: {} });
  });

  it('guesses nothing beside a mapping that is complete, but says what fits', () => {
    const given = ['event_name=what', 'user_id=who', 'recorded_at=when'];
    const { mapped, suggested, isGuessed } = propose(
      [{ what: 'a', who: 'u', when: AT, version: '1' }],
      given,
    );
    expect(mapped).toEqual({ event_name: 'what', user_id: 'who', recorded_at: 'when' });
    expect(suggested).toEqual(new Map([['app_version', 'version']]));
    expect(isGuessed).toBe(false);
  });

  it('completes a mapping that leaves a field open', () => {
    const { mapped, missing } = propose([{ what: 'a', uid: 'u', ts: AT, version: '1' }], ['event_name=what']);
    expect(mapped).toEqual({
      ...{ event_name: 'what', user_id: 'uid', recorded_at: 'ts', app_version: 'version' },
    });
    expect(missing).toEqual([]);
  });

  it('chooses none of several that fit as well, and says how often each is filled', () => {
    const { mapped, missing, doubts } = propose([
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

  it('does not trust a user_id that is empty where another id is there', () => {
    const [first, second] = [
      { event: 'a', time: AT, amplitude_id: 5 },
      { event: 'a', time: AT, amplitude_id: 6 },
    ];
    expect(
      propose([
        { ...first, user_id: 'u' },
        { ...second, user_id: '' },
      ]).missing,
    ).toEqual(['user_id']);
    expect(
      propose([
        { ...first, user_id: 'u' },
        { ...second, user_id: 'v' },
      ]).missing,
    ).toEqual([]);
  });

  it('prefers the surer of two names', () => {
    const { mapped } = propose([
      { event: 'a', name: 'Anna', type: 'x', user: 'u', customer: 'c', time: AT, date: AT },
    ]);
    expect(mapped).toEqual({ event_name: 'event', user_id: 'user', recorded_at: 'time' });
  });

  it.each([
    {
      name: 'a platform that is none',
      extra: { platform: 'desktop' },
      field: 'platform',
      says: 'is not android, ios or web',
    },
    {
      name: 'text in the place of an object',
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
  ])('leaves $name a property, and says so', ({ extra, field, says }) => {
    const { mapping, doubts } = propose([{ event: 'a', user: 'u', created_at: AT, ...extra }]);
    expect(doubts).toContainEqual(expect.objectContaining({ kind: 'unfit', field }));
    expect(doubts.map((doubt) => doubt.kind === 'unfit' && doubt.problem).join()).toContain(says);
    const [column = ''] = Object.keys(extra);
    expect([...mapping.columns.values()]).not.toContain(column);
  });

  it('leaves a counter that is called event_id a property', () => {
    const event = { event: 'a', user: 'u', time: AT, event_id: 1 };
    const { mapping } = propose([event, { ...event, user: 'v' }]);
    expect(mapping.properties).toEqual(new Set(['event_id']));
  });

  it.each([
    ['mobile', { device_type: 'device' }],
    ['iPhone 16', { device_model: 'device' }],
    ['Android', { platform: 'device' }],
  ])('takes a device "%s" for what it is', (device, expected) => {
    const { mapped } = propose([{ event: 'a', user: 'u', time: AT, device }]);
    expect(mapped).toEqual({ event_name: 'event', user_id: 'user', recorded_at: 'time', ...expected });
  });

  it.each([
    ['the platform too where all systems are one', ['iOS', 'android'], 'os'],
    ['no platform where one is not', ['iOS', 'Windows'], undefined],
  ])('finds %s', (_, systems, platform) => {
    const { mapped } = propose(systems.map((os) => ({ event: 'a', user: 'u', time: AT, os })));
    expect(mapped).toMatchObject({ os_name: 'os' });
    expect(mapped.platform).toBe(platform);
  });

  it('leaves alone what is to stay a property', () => {
    const { mapped } = propose([{ event: 'a', user: 'u', time: AT, version: 'B' }], [], ['version']);
    expect(mapped).toEqual({ event_name: 'event', user_id: 'user', recorded_at: 'time' });
  });
});
