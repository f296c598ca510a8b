import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { readRules } from '../cli/options/read-rules.ts';
import { openTables } from '../functions/data-access/apps/open-tables.ts';
import { appPaths } from '../local/data/app-file.ts';
import { serveTables } from '../local/data-access.ts';
import {
  demoDataFor,
  type SimulatedNotification,
  type SimulationOptions,
  simulate,
} from '../local/simulate.ts';
import { GIVEN } from '../shared/analytics/tables.ts';
import { sqlTablesSchema } from '../shared/config/sql-tables.ts';
import { freePort, missingPostgres, type Postgres, startPostgres } from './data-access/postgres.ts';

const DAY = 86_400_000;
const FROM = Date.UTC(2026, 4, 4);
const ZONE = 'Europe/Berlin';

const TYPES = {
  ...{ text: 'text', 'text?': 'text', integer: 'integer', 'integer?': 'integer' },
  ...{ double: 'double precision', boolean: 'boolean', millis: 'bigint', texts: 'text[]' },
};
const TABLES = ['events', 'sessions', 'screen_visits'] as const;

/**
 * Simulates the demo rules over one demo shop (21 days, or the first option): by the service, and by the same rows in
 * tables in PostgreSQL with other names. The notifications must be the same.
 */
export async function run([days = '21']: string[]) {
  const missing = await missingPostgres();
  if (missing !== undefined) throw new Error(missing);
  const folder = await mkdtemp(join(tmpdir(), 'deltawatch-sql-tables-'));
  await chmod(folder, 0o755);
  const span = { from: FROM, to: FROM + Number(days) * DAY };
  const ruleSet = await readRules('rules');
  const dataDir = await demoDataFor({ ...span, seed: 1 }, folder);
  const port = await freePort();
  const server = await startPostgres(join(folder, 'server'), {
    ...{ listen_addresses: '127.0.0.1', port: String(port), shared_buffers: '512MB', fsync: 'off' },
  });
  try {
    const rows = await copyTo(server, dataDir, folder);
    const expected = await simulated({ ruleSet, ...span, dataDir });
    const config = sqlTablesSchema.parse({ engine: 'postgres', urlSecret: 'url', apps: { demo: app() } });
    const url = `postgres://bench@127.0.0.1:${port}/postgres`;
    const apps = await openTables(config, { folder, readSecret: async () => url });
    const found = await simulated({
      ...{ ruleSet, ...span, dataDir },
      open: (options) => serveTables(apps, options),
    });
    const isSame = isDeepStrictEqual(found.notifications, expected.notifications);
    if (!isSame) process.exitCode = 1;
    return {
      ...{ days: Number(days), rows, notifications: expected.notifications.length, isSame },
      ...{ serviceMs: expected.ms, postgresMs: found.ms },
    };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function simulated(options: SimulationOptions) {
  const startedAt = performance.now();
  const notifications: SimulatedNotification[] = [];
  for await (const each of simulate(options)) notifications.push(each);
  return { notifications, ms: Math.round(performance.now() - startedAt) };
}

const mapping = (name: (typeof TABLES)[number]) => ({
  table: `team.x_${name}`,
  columns: Object.fromEntries(Object.keys(GIVEN[name]).map((column) => [column, `x_${column}`])),
});
const app = () => ({
  zone: ZONE,
  events: mapping('events'),
  sessions: mapping('sessions'),
  screen_visits: mapping('screen_visits'),
});

/** Copies the demo shop. Returns the number of events. */
async function copyTo(server: Postgres, dataDir: string, folder: string): Promise<number> {
  const instance = await DuckDBInstance.create(appPaths(dataDir, 'demo').data, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  await server.run('create schema team');
  for (const name of TABLES) {
    const columns = Object.entries(GIVEN[name]);
    // A list as PostgreSQL writes it.
    const selected = columns.map(([column, type]) =>
      type === 'texts'
        ? `'{' || array_to_string(list_transform(${column}, x -> '"' || x || '"'), ',') || '}'`
        : column,
    );
    const file = join(folder, `${name}.csv`);
    await connection.run(
      `COPY (SELECT ${selected.join(', ')} FROM ${name}) TO '${file}' (FORMAT csv, HEADER false)`,
    );
    const types = columns.map(
      ([column, type]) => `x_${column} ${column.endsWith('properties') ? 'jsonb' : TYPES[type]}`,
    );
    await server.run(`create table team.x_${name} (${types.join(', ')});
      copy team.x_${name} from '${file}' (format csv);
      create index on team.x_${name} (x_recorded_at);
      create index on team.x_${name} (x_session_id)`);
  }
  await server.run('vacuum analyze');
  const counted = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM events');
  connection.closeSync();
  instance.closeSync();
  return Number(counted.getRows()[0]?.[0]);
}
