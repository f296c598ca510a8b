import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Apps } from '../../functions/data-access/apps/apps.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { db, type Query } from '../../functions/data-access/engines/query.ts';
import { type SqlTablesInput, sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { everythingIn } from '../fixtures/everything-in.ts';
import { NOW, sample } from '../functions/data-access/sample-app.ts';
import { createForeign, foreignApp } from '../functions/data-access/tables/foreign-tables.ts';
import { agree } from '../oracle/agreement.ts';
import { randomWorld } from '../oracle/random-world.ts';

const SEED = 20_260_410;
const { url } = inject('postgres');
const PASSWORD = new URL(url).password;

let team: pg.Client;
let opened: Apps | undefined;
beforeEach(async () => {
  team = new pg.Client({ connectionString: url });
  await team.connect();
  await team.query('drop schema if exists team cascade; create schema team');
});
afterEach(async () => {
  opened?.close();
  opened = undefined;
  await team.end();
});

type Given = Partial<Extract<SqlTablesInput, { engine: 'postgres' }>>;

async function open(given: Given, secret = url): Promise<Apps> {
  const config = sqlTablesSchema.parse({ engine: 'postgres', urlSecret: 'team/url', apps: LOG, ...given });
  opened = await openTables(config, { folder: '.', readSecret: async () => secret });
  return opened;
}

const LOG: Given['apps'] = {
  shop: { events: { table: 'team.log', columns: { event_name: 'type', user_id: 'who', recorded_at: 'ts' } } },
};

const createLog = () =>
  team.query(`create table team.log (ts timestamptz, type text, who text);
    insert into team.log select timestamptz '2026-04-01' + n * interval '1 second', 'buy', 'u' || n
      from generate_series(1, 1000) as n`);

const COUNT: Query = db.selectFrom('events').select(sql<number>`count(*)`.as('n'));

const answer = (apps: Apps, query: Query, signal?: AbortSignal) =>
  apps.withApp({ appId: 'shop', keyId: 'k' }, ({ engine }) => engine.answer(query, signal));

/** The statements of Deltawatch that run in the server. */
async function running(): Promise<string[]> {
  const { rows } = await team.query(
    "select query from pg_stat_activity where application_name = 'deltawatch' and state = 'active'",
  );
  return rows.map(({ query }) => String(query));
}

test('gives the answers of the oracle', async () => {
  const world = randomWorld(SEED, 'Europe/Berlin', NOW);
  await createForeign(
    async (name, columns, rows) => {
      const list = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`);
      await team.query(`create table ${name} (${list.join(', ')})`);
      const records = `jsonb_to_recordset($1::jsonb) as r(${list.join(', ')})`;
      await team.query(`insert into ${name} select * from ${records}`, [JSON.stringify(rows)]);
    },
    'team',
    world,
  );
  const apps = await open({ apps: { shop: foreignApp('team', 'Europe/Berlin') } });
  const shop = await sample({ service: { apps } });
  await agree([{ world, shop }], { numRuns: 100, seed: SEED });
  await shop.close();
});

describe('limits', () => {
  /** An expression that takes long when it is read, but not when it is checked. */
  const SLOW: Given['apps'] = {
    shop: {
      events: {
        table: 'team.log',
        columns: {
          event_name: 'type',
          user_id: 'who',
          recorded_at: 'ts',
          screen_name: { sql: 'pg_sleep(0.05)::text' },
        },
      },
    },
  };
  const SCREENS: Query = db
    .selectFrom('events')
    .select(sql<number>`count(${sql.ref('screen_name')})`.as('n'));

  test('a query ends at the time limit, here and in the server', async () => {
    await createLog();
    const apps = await open({ apps: SLOW, timeoutSeconds: 0.5 });
    await expect(answer(apps, SCREENS)).rejects.toMatchObject({
      name: 'QueryLimitError',
      message: 'stopped at the time limit of a request',
    });
    await expect.poll(running).toEqual([]);
  });

  test('a caller who leaves stops the query in the server', async () => {
    await createLog();
    const apps = await open({ apps: SLOW });
    const caller = new AbortController();
    const left = new Error('left');
    const asked = answer(apps, SCREENS, caller.signal);
    await expect.poll(running).toHaveLength(1);
    caller.abort(left);
    await expect(asked).rejects.toBe(left);
    await expect.poll(running).toEqual([]);
    expect(await answer(apps, COUNT)).toMatchObject({ answer: { rows: [{ n: 1000 }] } });
  });

  test('more queries than connections wait for each other', async () => {
    await createLog();
    const apps = await open({ connections: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => answer(apps, COUNT)));
    expect(answers.map((each) => each?.answer.rows)).toEqual(answers.map(() => [{ n: 1000 }]));
  });
});

test('nothing can be written, not even by a function of the team', async () => {
  await createLog();
  await team.query(`create function team.bump() returns text language plpgsql as
    $$ begin insert into team.log values (now(), 'bump', 'nobody'); return 'x'; end $$`);
  const columns = {
    event_name: 'type',
    user_id: 'who',
    recorded_at: 'ts',
    screen_name: { sql: 'team.bump()' },
  };
  const apps = await open({ apps: { shop: { events: { table: 'team.log', columns } } } });
  const asked = answer(apps, db.selectFrom('events').select('screen_name'));
  await expect(asked).rejects.toMatchObject({ name: 'RequestError', code: 'INTERNAL' });
  const { rows } = await team.query("select count(*)::int as n from team.log where type = 'bump'");
  expect(rows).toEqual([{ n: 0 }]);
});

describe('a failure names the cause, and neither the URL nor SQL', () => {
  const withPart = (part: Partial<Pick<URL, 'password' | 'port' | 'pathname'>>) =>
    Object.assign(new URL(url), part).href;

  test.each([
    {
      name: 'a wrong password',
      secret: withPart({ password: 'wrong-word' }),
      says: /user or the password \(28P01\)/,
    },
    {
      name: 'an unknown database',
      secret: withPart({ pathname: '/nothing' }),
      says: /database does not exist/,
    },
    {
      name: 'a port without a server',
      secret: withPart({ port: '1' }),
      says: /cannot be reached \(ECONNREFUSED\)/,
    },
    {
      name: 'another URL',
      secret: 'https://user:wrong-word@example.com',
      says: /must have the form postgres:/,
    },
  ])('$name', async ({ secret, says }) => {
    const failure: unknown = await open({}, secret).catch((error: unknown) => error);
    expect(String(failure)).toMatch(says);
    expect(everythingIn(failure)).not.toMatch(new RegExp(`${PASSWORD}|wrong-word`));
  });

  test('a table that was dropped later', async () => {
    await createLog();
    const apps = await open({});
    await team.query('drop table team.log');
    const failure = await answer(apps, COUNT).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: 'PostgreSQL rejected the query: a table, a column or a right is missing (42P01)',
      code: 'INTERNAL',
    });
    expect(String(Object(failure).cause)).not.toMatch(/select|team/);
  });

  test('a value that does not fit', async () => {
    await team.query('create table team.log (ts timestamptz, type text, who text, extra text)');
    await team.query("insert into team.log values ('2026-04-01', 'buy', 'u', 'no json: secret-value')");
    const columns = { event_name: 'type', user_id: 'who', recorded_at: 'ts', properties: 'extra' };
    const apps = await open({ apps: { shop: { events: { table: 'team.log', columns } } } });
    const failure = await answer(apps, db.selectFrom('events').select('properties')).catch((e: unknown) => e);
    expect(String(failure)).toBe(
      'RequestError: a value of a table does not have the form that its column needs (22P02)',
    );
    expect(String(Object(failure).cause)).not.toMatch(/secret-value/);
  });
});
