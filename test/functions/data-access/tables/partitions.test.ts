import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Apps } from '../../../../functions/data-access/apps/apps.ts';
import { db } from '../../../../functions/data-access/engines/query.ts';
import { inSpan } from '../../../../functions/data-access/queries/question.ts';
import type { SqlTablesInput } from '../../../../shared/config/sql-tables.ts';
import { DATABASES, type Database } from './databases.ts';

/** `dt` is the day of arrival. */
const LOG = [
  { at: '2026-04-01T23:50:00Z', who: 'ann', visit: 'v1', dt: '2026-04-01', hour: '2026/04/01/23' },
  { at: '2026-04-02T00:10:00Z', who: 'ann', visit: 'v1', dt: '2026-04-02', hour: '2026/04/02/00' },
  { at: '2026-04-02T23:59:00Z', who: 'ben', visit: 'v2', dt: '2026-04-03', hour: '2026/04/03/00' },
  { at: '2026-04-02T12:00:00Z', who: 'cleo', visit: 'v3', dt: '2026-04-06', hour: '2026/04/06/12' },
  { at: '2026-04-02T23:55:00Z', who: 'dan', visit: 'v4', dt: '2026-04-02', hour: '2026/04/02/23' },
  // Late, after midnight.
  { at: '2026-04-03T00:05:00Z', who: 'dan', visit: 'v4', dt: '2026-04-04', hour: '2026/04/04/00' },
];
const COLUMNS = { event_name: 'visit', user_id: 'who', recorded_at: 'at', session_id: 'visit' };
type Partition = SqlTablesInput['apps'][string]['events']['partition'];

/** Events of 2 April, sessions that began then, and all events of these sessions. */
const CASES: Record<string, { partition?: Partition; events: number; sessions: number; inSessions: number }> =
  {
    'no-partition': { events: 4, sessions: 3, inSessions: 4 },
    'margin-of-a-day': { partition: { day: 'dt' }, events: 3, sessions: 2, inSessions: 3 },
    // The session that began on the day before is not counted again.
    'no-margin': { partition: { day: 'dt', marginDays: 0 }, events: 2, sessions: 1, inSessions: 1 },
    'margin-of-four-days': { partition: { day: 'dt', marginDays: 4 }, events: 4, sessions: 3, inSessions: 4 },
    'text-with-hours': {
      partition: { day: 'hour', format: 'YYYY/MM/DD' },
      events: 3,
      sessions: 2,
      inSessions: 3,
    },
    number: { partition: { day: 'no' }, events: 3, sessions: 2, inSessions: 3 },
    date: { partition: { day: { sql: 'cast(dt as date)' } }, events: 3, sessions: 2, inSessions: 3 },
  };

const DAY = { from: Date.parse('2026-04-02T00:00:00Z'), to: Date.parse('2026-04-03T00:00:00Z') };
const numberOf = (table: 'events' | 'sessions', expression: RawBuilder<number>) =>
  db
    .selectFrom(table)
    .select(expression.as('n'))
    .where(inSpan({ span: DAY, now: Date.parse('2026-04-08T00:00:00Z') }));

describe.each(DATABASES)('partitions in $name', ({ start }) => {
  let database: Database;
  let apps: Apps;
  beforeAll(async () => {
    database = await start();
    const rows = LOG.map((row) => ({ ...row, no: Number(row.dt.replaceAll('-', '')) }));
    const text = { who: 'text', visit: 'text', dt: 'text', hour: 'text' };
    await database.create('log', { at: 'timestamptz', ...text, no: 'integer' }, rows);
    apps = await database.open(
      Object.fromEntries(
        Object.entries(CASES).map(([id, { partition }]) => [
          id,
          { events: { table: 'log', partition, columns: COLUMNS } },
        ]),
      ),
    );
  });
  afterAll(() => database.close());

  test.each(Object.entries(CASES))('%s', async (appId, { events, sessions, inSessions }) => {
    const found = await apps.withApp({ appId, keyId: 'k' }, ({ engine }) =>
      Promise.all([
        engine.answer(numberOf('events', sql`count(*)`)),
        engine.answer(numberOf('sessions', sql`count(*)`)),
        engine.answer(numberOf('sessions', sql`sum(${sql.ref('event_count')})`)),
      ]),
    );
    const numbers = found?.answer.map(({ rows }) => Number(rows[0]?.n));
    expect(numbers).toEqual([events, sessions, inSessions]);
  });
});

/** Events of 2 April, whose sessions began on it, or so many days before or after. */
const VISITS = [
  { visit: 'same', who: 'ann', dt: '2026-04-02', utm: 'mail' },
  { visit: 'two-before', who: 'ben', dt: '2026-03-31', utm: 'mail' },
  { visit: 'two-after', who: 'cleo', dt: '2026-04-04', utm: 'mail' },
  { visit: 'three-before', who: 'dan', dt: '2026-03-30', utm: 'mail' },
  { visit: 'three-after', who: 'eve', dt: '2026-04-05', utm: 'mail' },
];
const NEAR = ['same', 'two-after', 'two-before'];
const ALL = ['same', 'three-after', 'three-before', 'two-after', 'two-before'];
const TIME = '2026-04-02T12:00:00Z';

describe.each(DATABASES)('a table of sessions in $name', ({ start }) => {
  let database: Database;
  let apps: Apps;
  beforeAll(async () => {
    database = await start();
    const text = { visit: 'text', who: 'text', dt: 'text', utm: 'text' };
    const events = VISITS.map((row) => ({ ...row, at: TIME, page: 'Home' }));
    await database.create('log', { at: 'timestamptz', page: 'text', ...text }, events);
    // The time of a session may differ from its partition, and is no reason to leave it out.
    const sessions = VISITS.map((row) => ({ ...row, os: 'ios', begin: '2026-01-01T00:00:00Z' }));
    await database.create('visits', { begin: 'timestamptz', os: 'text', ...text }, sessions);
    const event = { ...COLUMNS, recorded_at: 'at', screen_name: 'page' };
    const columns = { session_id: 'visit', user_id: 'who', recorded_at: 'begin', platform: 'os', utm: 'utm' };
    const visit = { session_id: 'visit', user_id: 'who', recorded_at: 'at', screen_name: 'page' };
    const given = (partition?: Partition) => ({
      events: { table: 'log', columns: event },
      sessions: { table: 'visits', partition, columns },
    });
    apps = await database.open({
      partitioned: given({ day: 'dt' }),
      'with-visits': { ...given({ day: 'dt' }), screen_visits: { table: 'log', columns: visit } },
      'no-partition': given(),
    });
  });
  afterAll(() => database.close());

  /** The sessions whose column is known to the events or screen visits of 2 April. */
  async function knownTo(
    appId: string,
    table: 'events' | 'screen_visits',
    column: 'session_id' | 'platform' | 'first_utm',
  ) {
    const rows = db.selectFrom(table).select(['session_id', sql<string>`${sql.ref(column)}`.as('known')]);
    const query = rows.where(inSpan({ span: DAY, now: Date.parse('2026-04-08T00:00:00Z') }));
    const found = await apps.withApp({ appId, keyId: 'k' }, ({ engine }) => engine.answer(query));
    const known = found?.answer.rows.filter((row) => row.known !== null) ?? [];
    return known.map((row) => row.session_id).sort();
  }

  test('is read from the partitions near the events', async () => {
    expect(await knownTo('partitioned', 'events', 'platform')).toEqual(NEAR);
    expect(await knownTo('no-partition', 'events', 'platform')).toEqual(ALL);
  });

  test('is read from the partitions near the screen visits', async () => {
    expect(await knownTo('with-visits', 'screen_visits', 'platform')).toEqual(NEAR);
    expect(await knownTo('partitioned', 'screen_visits', 'platform')).toEqual(NEAR);
    expect(await knownTo('no-partition', 'screen_visits', 'platform')).toEqual(ALL);
  });

  test('leaves out screen visits that are derived from events of far sessions', async () => {
    expect(await knownTo('partitioned', 'screen_visits', 'session_id')).toEqual(NEAR);
    expect(await knownTo('with-visits', 'screen_visits', 'session_id')).toEqual(ALL);
    expect(await knownTo('partitioned', 'events', 'session_id')).toEqual(ALL);
  });

  test('is read completely for the first values of users', async () => {
    expect(await knownTo('partitioned', 'events', 'first_utm')).toEqual(ALL);
  });
});
