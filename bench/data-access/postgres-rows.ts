import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { APP_IDS } from './apps.ts';
import { type AppTable, copyOut } from './copy-out.ts';
import type { Peer } from './peer.ts';
import { missingPostgres, type Postgres, startPostgres } from './postgres.ts';

const TIMES = 'recorded_at bigint NOT NULL, uploaded_at bigint NOT NULL';

interface Table {
  readonly name: string;
  /** Columns of DuckDB's table of the same name, in the order of the definition. */
  readonly columns: string;
  readonly definition: string;
  readonly indexes: readonly string[];
}

/**
 * A good layout of the same rows in PostgreSQL. Events hold only the aggregated columns; all others are in the session.
 * Rows are in the order of recording. Each kind of query has an index. Those on the times of events and sessions cover
 * the counted columns, so that counts read only the index.
 */
const TABLES: readonly Table[] = [
  {
    name: 'events',
    columns:
      'recorded_at, uploaded_at, event_id, session_id, user_id, event_name, screen_name, platform, country, properties',
    definition: `${TIMES}, event_id uuid NOT NULL, session_id text NOT NULL, user_id text NOT NULL,
      event_name text NOT NULL, screen_name text, platform text NOT NULL, country text, properties jsonb NOT NULL`,
    indexes: [
      '(recorded_at DESC, event_id) INCLUDE (uploaded_at, platform, user_id)',
      '(event_name, recorded_at) INCLUDE (uploaded_at, platform, country, user_id)',
    ],
  },
  {
    name: 'sessions',
    columns: `recorded_at, uploaded_at, session_id, user_id, user_name, session_number, duration_sec, event_count,
      gesture_count, rage_gesture_count, responsive_gesture_count, unresponsive_gesture_count, screen_count,
      unique_screen_count, has_video, device_model, platform, user_properties`,
    definition: `${TIMES}, session_id text PRIMARY KEY, user_id text NOT NULL, user_name text,
      session_number integer NOT NULL, duration_sec double precision NOT NULL, event_count integer NOT NULL,
      gesture_count integer NOT NULL, rage_gesture_count integer NOT NULL, responsive_gesture_count integer NOT NULL,
      unresponsive_gesture_count integer NOT NULL, screen_count integer NOT NULL, unique_screen_count integer NOT NULL,
      has_video boolean NOT NULL, device_model text, platform text NOT NULL, user_properties jsonb NOT NULL`,
    indexes: [
      `(recorded_at) INCLUDE (uploaded_at, user_id, session_number, duration_sec, event_count, rage_gesture_count,
        screen_count)`,
      '(user_id, recorded_at DESC)',
    ],
  },
  {
    name: 'screen_visits',
    columns: `recorded_at, uploaded_at, session_id, user_id, screen_name, time_on_screen_sec, visit_rage_gesture_count,
      is_entry, is_exit, is_bounce`,
    definition: `${TIMES}, session_id text NOT NULL, user_id text NOT NULL, screen_name text NOT NULL,
      time_on_screen_sec double precision NOT NULL, visit_rage_gesture_count integer, is_entry boolean NOT NULL,
      is_exit boolean NOT NULL, is_bounce boolean NOT NULL`,
    indexes: ['(recorded_at)'],
  },
];

/** PostgreSQL over the apps of a directory, each in a schema of its name. Loads the rows, unless an earlier run did. */
export async function openPostgres(directory: string, note: (text: string) => void): Promise<Peer> {
  const missing = await missingPostgres();
  if (missing !== undefined) throw new Error(missing);
  // Its user cannot read the folder of the apps, which is private.
  const folder = `${directory}-postgres`;
  const postgres = await startPostgres(folder);
  try {
    for (const app of APP_IDS) {
      if (await isLoaded(postgres, app)) continue;
      note(`copying app ${app} to PostgreSQL`);
      await postgres.run(`DROP SCHEMA IF EXISTS ${app} CASCADE; CREATE SCHEMA ${app}`);
      for (const table of TABLES) await copyTable(postgres, { directory, folder, app, ...table });
      await postgres.run(`VACUUM ANALYZE; CHECKPOINT; CREATE TABLE ${app}.loaded ()`);
    }
    return postgres;
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function isLoaded(postgres: Postgres, app: string): Promise<boolean> {
  const { figures } = await postgres.time('public', [`SELECT to_regclass('${app}.loaded') IS NOT NULL`], 1);
  return figures[0]?.[0] === 't';
}

async function copyTable(postgres: Postgres, table: Table & AppTable & { folder: string }): Promise<void> {
  const { folder, app, name, columns, definition, indexes } = table;
  const file = join(folder, `${app}-${name}.csv`);
  try {
    const rows = `SELECT ${columns} FROM ${name} ORDER BY recorded_at`;
    await copyOut(table, rows, file, 'FORMAT csv, HEADER false');
    await postgres.run(`
      BEGIN; CREATE TABLE ${app}.${name} (${definition});
      COPY ${app}.${name} (${columns}) FROM '${file}' (FORMAT csv); COMMIT;
      ${indexes.map((index) => `CREATE INDEX ON ${app}.${name} ${index};`).join('\n')}`);
  } finally {
    await rm(file, { force: true });
  }
}
