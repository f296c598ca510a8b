import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type Apps, appsIn } from '../../../../../functions/data-access/apps/apps.ts';
import { spansWithoutSums } from '../../../../../functions/data-access/apps/kept.ts';
import { DuckDbCompiler } from '../../../../../functions/data-access/engines/duckdb/compiler.ts';
import type { Engine } from '../../../../../functions/data-access/engines/engine.ts';
import { HOURS_TABLES } from '../../../../../shared/contract/tables.ts';
import { ManualClock } from '../../../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../../../shared/units/durations.ts';
import {
  event,
  NOW,
  range,
  type SampleOptions,
  sample,
  session,
} from '../../../../functions/data-access/sample-app.ts';
import { roundedAs, rowsOf } from '../../../../oracle/agreement.ts';
import { analyze } from '../../../../oracle/analytics.ts';
import { randomWorld } from '../../../../oracle/random-world.ts';
import type { AnalyticsRequest } from '../../../../oracle/requests.ts';

const SEED = 20_261_123;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A service whose clock can be set, and which notes the tables that each query reads. */
async function open({ hours, ...options }: SampleOptions & { hours?: () => Promise<Engine['hours']> }) {
  const one = await sample(options);
  const apps = appsIn(one.directory);
  let tables: string[] = [];
  let now = NOW;
  const observed: Apps = {
    ...apps,
    withApp: (of, use) =>
      apps.withApp(of, async ({ engine, ...app }) => {
        const answer: Engine['answer'] = (query, signal) => {
          tables.push(...tablesIn(new DuckDbCompiler().compile(query).sql));
          return engine.answer(query, signal);
        };
        return use({ ...app, engine: { hours: hours ? await hours() : engine.hours, answer } });
      }),
  };
  const service = await sample({ ...options, service: { apps: observed, clock: { now: () => now } } });
  closing.push(async () => {
    apps.close();
    await Promise.all([one.close(), service.close()]);
  });
  return {
    /** The rows of a response, and the tables that were read for them. */
    async ask(resource: 'event' | 'session', request: object, at = NOW) {
      tables = [];
      now = at;
      const { body } = await service.get(`/v2/${resource}/analytics`, { ...request });
      return { rows: body.data, tables: [...new Set(tables)].sort(), error: body.error };
    },
    async change(sql: string) {
      const instance = await DuckDBInstance.create(join(one.directory, 'shop.duckdb'));
      const connection = await instance.connect();
      await connection.run(sql);
      connection.closeSync();
      instance.closeSync();
    },
  };
}
type Shop = Awaited<ReturnType<typeof open>>;

const tablesIn = (sql: string): string[] =>
  ['events', 'sessions', ...HOURS_TABLES].filter((table) => sql.includes(`from "${table}"`));

const at = (hour: number, minute = 0) =>
  new Date(Date.parse('2026-04-01T00:00:00Z') + hour * HOUR_MS + minute * 60_000).toISOString();
const someHours = (from: number, to: number) => [range(at(from), at(to))];
const count = { aggregation: [{ attribute: 'event_count' }] };
const onIos = session({ recorded_at: at(1), platform: 'ios', country: 'Chad' });
const counted = async (shop: Shop, request: object, now?: number) => {
  const { rows, tables } = await shop.ask('event', { ...count, ...request }, now);
  return { counts: rows?.map(({ event_count }) => event_count), tables };
};

describe('counts of events', () => {
  const rows = {
    sessions: [onIos],
    events: [
      event(onIos, { recorded_at: at(1, 5) }),
      event(onIos, { recorded_at: at(1, 55), uploaded_at: at(30) }),
      event(onIos, { recorded_at: at(2), event_name: 'open' }),
      event(onIos, { recorded_at: at(4), uploaded_at: at(5) }),
    ],
  };
  const filters = someHours(0, 5);

  test('come from the sums of hours', async () => {
    const shop = await open(rows);
    expect(await counted(shop, { filters })).toEqual({ counts: [4], tables: ['event_hours'] });
    const named = { attribute: 'event_name', operator: 'equal', value: 'purchase' };
    const ios = { attribute: 'device_platform', operator: 'equal', value: 'ios' };
    expect(await counted(shop, { filters: [...filters, named, ios] })).toMatchObject({
      counts: [3],
      tables: ['event_hours'],
    });
  });

  test('come from the rows from the first hour on that has later uploads', async () => {
    const shop = await open(rows);
    const now = Date.parse(at(20));
    expect(await counted(shop, { filters }, now)).toEqual({ counts: [3], tables: ['event_hours', 'events'] });
    expect(await counted(shop, { filters: someHours(2, 5) }, now)).toEqual({
      counts: [2],
      tables: ['event_hours'],
    });
  });

  test('come from the rows at the ends of a window that are not whole hours', async () => {
    const shop = await open(rows);
    const whole = { filters: [range(at(1, 5), at(4, 1))] };
    expect(await counted(shop, whole)).toEqual({ counts: [4], tables: ['event_hours', 'events'] });
    const short = { filters: [range(at(1, 5), at(1, 56))] };
    expect(await counted(shop, short)).toEqual({ counts: [2], tables: ['events'] });
  });

  test.each([
    ['another metric', { aggregation: [{ attribute: 'event_unique_user_count' }] }],
    ['another filter', { filters: [{ attribute: 'device_city', operator: 'not_equal', value: 'Rome' }] }],
    [
      'two dimensions that are not summed',
      {
        group_by: [{ attribute: 'device_country' }, { attribute: 'app_version' }],
      },
    ],
  ])('come from the rows with %s', async (_, request) => {
    const shop = await open(rows);
    const asked = {
      ...count,
      ...request,
      filters: [...filters, ...('filters' in request ? request.filters : [])],
    };
    expect((await shop.ask('event', asked)).tables).toEqual(['events']);
  });

  test('come from the rows by hours of a zone that is half an hour off', async () => {
    const shop = await open({ ...rows, zone: 'Asia/Kolkata' });
    const byHour = { filters, group_by: [{ attribute: 'event_uploadedon_hour' }] };
    const { counts, tables } = await counted(shop, byHour);
    expect(tables).toEqual(['events']);
    expect(counts).toEqual([0, 1, 2, 0, 1, 0]);
    expect(await counted(shop, { filters })).toEqual({ counts: [4], tables: ['event_hours'] });
  });

  test('come from the rows if a day of a lake has no sums', async () => {
    const clock = new ManualClock(NOW);
    const kept = spansWithoutSums(clock);
    const shop = await open({ ...rows, hours: () => kept.get('shop') });
    expect(await counted(shop, { filters })).toEqual({ counts: [4], tables: ['event_hours'] });
    const twoDays = { filters: someHours(0, 30) };
    expect(await counted(shop, twoDays)).toEqual({ counts: [4], tables: ['event_hours', 'events'] });
    await shop.change('DELETE FROM event_hours');
    expect(await counted(shop, { filters })).toEqual({ counts: [4], tables: ['event_hours', 'events'] });
    expect(await counted(shop, { filters })).toEqual({ counts: [4], tables: ['events'] });
    clock.advanceTo(NOW + HOUR_MS);
    expect(await counted(shop, { filters })).toEqual({ counts: [4], tables: ['event_hours', 'events'] });
  });
});

describe('new users', () => {
  const filters = someHours(0, 5);
  const news = { filters, aggregation: [{ attribute: 'session_new_users_count' }] };
  const first = session({ recorded_at: at(1), user_id: 'ann' });

  test('come from the sums of hours', async () => {
    const again = session({ recorded_at: at(2), user_id: 'ann', session_number: 2 });
    const shop = await open({ sessions: [first, again, session({ recorded_at: at(3) })] });
    const { rows, tables } = await shop.ask('session', news);
    expect([rows, tables]).toEqual([[{ session_new_users_count: 2 }], ['session_hours']]);
  });
});

const additive = {
  event: fc.constant([{ attribute: 'event_count' }]),
  session: fc.subarray(
    [
      { attribute: 'session_count' },
      { attribute: 'session_new_users_count' },
      { attribute: 'session_gesture_count', operator: 'sum' },
      { attribute: 'avg_session_rage_gesture_count' },
      { attribute: 'session_screen_count', operator: 'avg' },
    ],
    { minLength: 1 },
  ),
};

const SEEN = {
  device_platform: ['ios', 'web'],
  app_version: ['1.2', '1.10'],
  device_country: ['Germany', 'others'],
  event_name: ['open', 'Buy'],
} as const;

function questionsOn(resource: 'event' | 'session') {
  const names = (Object.keys(SEEN) as (keyof typeof SEEN)[]).filter(
    (name) => resource === 'event' || name !== 'event_name',
  );
  const times = ['hour', 'day'].map((unit) => `${resource}_uploadedon_${unit}`);
  const filter = fc.constantFrom(...names).chain((attribute) =>
    fc.record({
      attribute: fc.constant(attribute),
      operator: fc.constantFrom('equal', 'not_equal', 'not_in'),
      value: fc.constantFrom(...SEEN[attribute]),
    }),
  );
  return fc
    .record({
      resource: fc.constant(resource),
      aggregation: additive[resource],
      group_by: fc.uniqueArray(
        fc.constantFrom(...names, ...times).map((attribute) => ({ attribute })),
        { maxLength: 2, selector: ({ attribute }) => attribute },
      ),
      filters: fc.array(filter, { maxLength: 2 }),
      from: fc.integer({ min: 2, max: 24 * 8 }),
      length: fc.integer({ min: 1, max: 24 * 7 }),
      edge: fc.constantFrom(0, 0, 0, 60_000, 17 * 60_000),
      comparison: fc.constantFrom(0, 0, 1),
      /** The virtual clock: uploads take up to four days. */
      ago: fc.constantFrom(-5 * DAY_MS, 0, DAY_MS, 2 * DAY_MS),
    })
    .map(({ from, length, edge, ago, filters, ...request }) => {
      const start = NOW - from * HOUR_MS + edge;
      const window = range(new Date(start).toISOString(), new Date(start + length * HOUR_MS).toISOString());
      const listed = filters.map(({ operator, value, ...rest }) => ({
        ...rest,
        operator,
        value: operator === 'not_in' ? [value] : value,
      }));
      return { now: NOW - ago, request: { ...request, filters: [...listed, window] } };
    });
}

test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'])(
  'sums of hours give the figures of the oracle at any time in %s',
  async (zone) => {
    const world = randomWorld(SEED, zone, NOW);
    const shop = await open({ zone, ...rowsOf(world) });
    let fromHours = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(questionsOn('event'), questionsOn('session')),
        async ({ now, request: { resource, ...request } }) => {
          const { rows, tables, error } = await shop.ask(resource, request, now);
          if (error !== undefined) throw new Error(error.message);
          const expected = analyze({ ...world, now }, resource, request as AnalyticsRequest);
          expect(rows).toEqual(expected.map((row, i) => roundedAs(rows?.[i] ?? {}, row)));
          if (tables.includes(`${resource}_hours`)) fromHours += 1;
        },
      ),
      { numRuns: 120, seed: SEED },
    );
    expect(fromHours).toBeGreaterThan(20);
  },
);
