import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appPaths } from '../../../../../local/data/app-file.ts';
import { parseMapping } from '../../../../../local/data/import/fields.ts';
import { importEvents } from '../../../../../local/data/import/import-events.ts';
import { ConfigError, InvalidRequestError } from '../../../../../shared/runtime/errors.ts';
import { csv, importsIntoShop, opened } from '../../../../local/data/import/imported-shop.ts';

const { folder, importText, rowsOf } = importsIntoShop();
const ndjson = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

describe('importEvents', () => {
  const expected = [
    {
      event_name: 'view',
      user_id: '7',
      recorded_at: '2026-03-01 11:00:00',
      uploaded_at: '2026-03-01 11:00:00',
      screen_name: 'Home',
      properties: '{"price":12.5,"note":"a, \\"b\\""}',
    },
    {
      event_name: 'buy',
      user_id: '7',
      recorded_at: '2026-03-01 11:01:00',
      uploaded_at: '2026-03-01 11:01:00',
      screen_name: null,
      properties: '{"price":3}',
    },
  ];
  const stored = () =>
    rowsOf(
      'SELECT event_name, user_id, recorded_at, uploaded_at, screen_name, properties FROM events ORDER BY recorded_at',
    );

  it('reads NDJSON', async () => {
    await importText(
      'e.ndjson',
      ndjson(
        { event_name: 'buy', user_id: 7, recorded_at: '2026-03-01T11:01:00Z', price: 3, note: null },
        {
          event_name: 'view',
          user_id: 7,
          recorded_at: '2026-03-01T12:00+01:00',
          screen_name: 'Home',
          price: 12.5,
          note: 'a, "b"',
        },
      ),
    );
    expect(await stored()).toEqual(expected);
  });

  it('reads CSV', async () => {
    await importText(
      'e.csv',
      'event_name,user_id,recorded_at,screen_name,price,note\n' +
        'view,7,2026-03-01T12:00+01:00,Home,12.5,"a, ""b"""\nbuy,7,2026-03-01T11:01:00Z,,3,\n',
    );
    expect(await stored()).toEqual(expected);
  });

  it('reads Parquet with typed times', async () => {
    const file = join(folder(), 'e.parquet');
    const duckdb = await opened(':memory:');
    await duckdb.rows(`COPY (SELECT * FROM (VALUES
      ('view', 7::BIGINT, TIMESTAMP '2026-03-01 11:00:00', 'Home', 12.5::DOUBLE, 'a, "b"'),
      ('buy', 7::BIGINT, TIMESTAMP '2026-03-01 11:01:00', NULL, 3::DOUBLE, NULL)
    ) AS t(event_name, user_id, recorded_at, screen_name, price, note)) TO '${file}'`);
    duckdb.close();
    await importEvents({
      ...{ file, dir: join(folder(), 'data'), app: 'shop', mapping: parseMapping([], []) },
      ...{ timeFormat: 'iso', skipBad: false },
    });
    expect(await stored()).toEqual(expected);
  });

  it('prefers the given format to the file name', async () => {
    const report = await importText('e.log', csv('a,u,2026-03-01'), { format: 'csv' });
    expect(report.records).toBe(1);
    await expect(importText('e.log', csv('a,u,2026-03-01'), { app: 'other' })).rejects.toThrow(
      InvalidRequestError,
    );
  });
});

describe('fields', () => {
  it('come from mapped columns and fixed values; other columns become properties', async () => {
    await importText('messages.csv', 'sender,receiver,unix_time\n1,2,1082040961\n3,4,1082155839\n', {
      map: ['user_id=sender', 'recorded_at=unix_time'],
      set: ['event_name=message', 'platform=ios'],
      timeFormat: 'unix',
    });
    expect(
      await rowsOf('SELECT event_name, user_id, recorded_at, properties FROM events ORDER BY recorded_at'),
    ).toEqual([
      {
        event_name: 'message',
        user_id: '1',
        recorded_at: '2004-04-15 14:56:01',
        properties: '{"receiver":2}',
      },
      {
        event_name: 'message',
        user_id: '3',
        recorded_at: '2004-04-16 22:50:39',
        properties: '{"receiver":4}',
      },
    ]);
    expect(await rowsOf('SELECT DISTINCT platform FROM sessions')).toEqual([{ platform: 'ios' }]);
  });

  it('of a session come from its events', async () => {
    const event = { event_name: 'a', user_id: 'u', session_id: 's' };
    await importText(
      'e.ndjson',
      ndjson(
        {
          ...event,
          recorded_at: '2026-03-01T10:00Z',
          screen_name: 'Home',
          properties: { plan: 'pro' },
          plan: 'free',
        },
        {
          ...event,
          recorded_at: '2026-03-01T10:00:30Z',
          screen_name: 'Cart',
          country_code: 'DE',
          app_version: '7.1',
        },
        {
          ...event,
          recorded_at: '2026-03-01T10:01Z',
          screen_name: 'Cart',
          crashed: true,
          rage_gesture_count: 4,
        },
        { ...event, recorded_at: '2026-03-01T10:02Z', screen_name: 'Home', user_properties: { tier: 2 } },
      ),
    );
    expect(await rowsOf('SELECT * FROM sessions')).toEqual([
      expect.objectContaining({
        session_id: 's',
        session_number: 1,
        duration_sec: 120,
        event_count: 4,
        screens: ['Home', 'Cart', 'Home'],
        screen_count: 3,
        unique_screen_count: 2,
        country_code: 'DE',
        app_version: '7.1',
        platform: 'web',
        crashed: true,
        offline: false,
        rage_gesture_count: 4,
        gesture_count: 0,
        user_properties: '{}',
      }),
    ]);
    expect(
      await rowsOf("SELECT properties FROM events WHERE screen_name = 'Home' ORDER BY recorded_at LIMIT 1"),
    ).toEqual([{ properties: '{"plan":"pro"}' }]);
  });

  it('that are null are missing, also in a map of properties', async () => {
    const event = { event_name: 'buy', user_id: 'u', recorded_at: '2026-03-01T11:00:00Z', plan: 'pro' };
    const nulls = { plan: null, deep: { key: null, list: [null] } };
    const nothing = { deep: { list: [null] } };
    const both = [
      { ...event, note: null, properties: nulls, user_properties: nulls },
      { ...event, properties: nothing, user_properties: nothing },
    ];
    await importText('e.ndjson', ndjson(...both));
    expect(await rowsOf('SELECT DISTINCT properties, user_properties FROM events')).toEqual([
      { properties: '{"plan":"pro","deep":{"list":[null]}}', user_properties: '{"deep":{"list":[null]}}' },
    ]);
  });

  it('store times in UTC, also when clocks change in the zone of the app', async () => {
    await importText('e.csv', csv('a,u,2026-03-29T01:30:00Z', 'a,u,2026-03-29T03:30:00+02:00'), {
      zone: 'Europe/Berlin',
    });
    expect(await rowsOf('SELECT DISTINCT recorded_at FROM events')).toEqual([
      { recorded_at: '2026-03-29 01:30:00' },
    ]);
    expect(
      JSON.parse(await readFile(appPaths(join(folder(), 'data'), 'shop').settings, 'utf8')),
    ).toMatchObject({
      id: 'shop',
      zone: 'Europe/Berlin',
    });
  });

  it.each([
    { given: [['colour=a']], says: /no field "colour"; the fields are event_name, user_id/ },
    { given: [['user_id']], says: /--map user_id must have the form --map field=column/ },
    {
      given: [['session_duration=a']],
      says: 'cannot set session_duration, which is computed from the events',
    },
    { given: [['country=a', 'device_country=b']], says: /twice/ },
    { given: [['user_id=a'], [], ['a']], says: /both/ },
    { given: [['user_id=a'], ['user_id=b']], says: /both/ },
  ])(
    'reject --map, --set and --property of $given',
    ({ given: [maps = [], sets = [], properties = []], says }) => {
      expect(() => parseMapping(maps, sets, properties)).toThrow(InvalidRequestError);
      expect(() => parseMapping(maps, sets, properties)).toThrow(says);
    },
  );

  it.each([
    { name: 'a required column', text: 'event_name,recorded_at\na,2026-03-01\n', says: 'no column user_id' },
    {
      name: 'a mapped column',
      text: csv('a,u,2026-03-01'),
      map: ['screen_name=page'],
      says: 'no column "page"',
    },
  ])('reject a file without $name', async ({ text, says, ...options }) => {
    await expect(importText('e.csv', text, options)).rejects.toThrow(says);
  });
});

describe('bad lines', () => {
  const MIXED = [
    '{"event_name":"a","user_id":"u","recorded_at":"2026-03-01T10:00Z"}',
    '{"event_name":"a","user_id":"u","recorded_at":"yesterday"}',
    '{"event_name":"a","recorded_at":"2026-03-01T10:00Z"}',
    '',
    '{"event_name":"a",',
    '[1]',
    '{"event_name":"a","user_id":{"id":1},"recorded_at":"2026-03-01T10:00Z","price":1}',
    '{"event_name":"a","user_id":"u","recorded_at":"2026-03-01T10:00Z","price":NaN}',
    '{"event_name":"a","user_id":"u","recorded_at":"2026-03-01T10:00Z","platform":"windows"}',
    '{"event_name":"b","user_id":"u","recorded_at":"2026-03-01T10:01Z"}',
  ].join('\n');

  it('reject the file, each with its line and reason', async () => {
    const error = await importText('e.ndjson', MIXED).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message.split('\n')).toEqual([
      'e.ndjson: 7 of 9 records cannot be imported, so none were: fix them, or add --skip-bad',
      '  line 2: recorded_at "yesterday" is not a time between 1990 and 2099 in the format iso',
      '  line 3: user_id is missing',
      '  line 5: it is not valid JSON',
      '  line 6: it is not a JSON object',
      '  line 7: user_id {"id":1} is neither a number nor a text of at most 500 characters',
      '  line 8: it has a number that JSON does not have, such as NaN',
      '  line 9: platform "windows" is not android, ios or web',
    ]);
    expect(await readdir(join(folder(), 'data'))).toEqual([]);
  });

  it('are skipped with skipBad, and each valid line is imported once', async () => {
    const report = await importText('e.ndjson', MIXED, { skipBad: true });
    expect(report).toMatchObject({ records: 9, bad: 7, app: { events: 2, sessions: 1, users: 1 } });
    expect(await rowsOf('SELECT event_name FROM events ORDER BY recorded_at')).toEqual([
      { event_name: 'a' },
      { event_name: 'b' },
    ]);
  });

  it('are listed up to ten', async () => {
    const rows = Array.from({ length: 15 }, () => 'a,,2026-03-01');
    const error = await importText('e.csv', csv(...rows)).catch((thrown: unknown) => thrown);
    expect((error as Error).message.split('\n')).toHaveLength(12);
    expect((error as Error).message).toContain('and 5 more');
  });

  it('include duplicate event ids in the file or the app', async () => {
    const event = (id: string, minute: number) => ({
      event_id: id,
      event_name: 'a',
      user_id: 'u',
      recorded_at: `2026-03-01T10:0${minute}Z`,
    });
    await importText('first.ndjson', ndjson(event('x', 0)));
    const second = ndjson(event('y', 1), event('x', 2), event('y', 3));
    const error = await importText('second.ndjson', second, { existing: 'append' }).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as Error).message).toContain('line 2: event_id "x" is already in the app');
    expect((error as Error).message).toContain('line 3: event_id "y" is on an earlier line');

    const report = await importText('second.ndjson', second, { existing: 'append', skipBad: true });
    expect(report).toMatchObject({ bad: 2, app: { events: 2 } });
  });
});

it('importEvents counts lines that are equal to an earlier one, except for those with ids', async () => {
  const { repeated } = await importText(
    'e.csv',
    csv('a,u,2026-03-01', 'b,u,2026-03-01', ...Array(5).fill('a,u,2026-03-01')),
  );
  expect(repeated).toEqual({ count: 5, lines: [4, 5, 6] });
  const event = { event_name: 'a', user_id: 'u', recorded_at: '2026-03-01' };
  const text = ndjson({ ...event, event_id: 'x' }, { ...event, event_id: 'y' });
  expect((await importText('e.ndjson', text, { app: 'ids' })).repeated.count).toBe(0);
});

it('importEvents keeps ids of any length exact', async () => {
  const ids = ['9007199254740993', '18446744073709551617', '7.0', '7'];
  const lines = ids.map((id) => `{"event_name":"a","user_id":${id},"recorded_at":"2026-03-01T10:00Z"}`);
  await importText('e.ndjson', lines.join('\n'));
  expect(await rowsOf('FROM events SELECT DISTINCT user_id ORDER BY user_id')).toEqual(
    ['18446744073709551617', '7', '9007199254740993'].map((user_id) => ({ user_id })),
  );
});

it('importEvents counts events in the future and names their lines', async () => {
  const rows = [
    'a,u,2026-03-01T10:00:00.001Z',
    'a,u,2026-03-01T10:00Z',
    'a,u,2027-01-01',
    'a,u,2026-04-01',
    'a,u,2026-05-01',
  ];
  const now = Date.parse('2026-03-01T10:00Z');
  const { future } = await importText('e.csv', csv(...rows), { now });
  expect(future).toEqual({ count: 4, lines: [2, 4, 5], lastAt: Date.parse('2027-01-01') });
});

it.each([
  { name: 'app', app: '../shop' },
  { name: 'zone', zone: 'Mars/Olympus' },
])('importEvents rejects an invalid value of $name', async (options) => {
  await expect(importText('e.csv', csv('a,u,2026-03-01'), options)).rejects.toThrow(InvalidRequestError);
});
