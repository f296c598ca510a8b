import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach } from 'vitest';
import * as z from 'zod';
import {
  createDataAccessApp,
  type DataAccessApp,
  type DataAccessOptions,
} from '../../../functions/data-access/app.ts';
import { appsIn } from '../../../functions/data-access/apps/apps.ts';
import { keysIn } from '../../../functions/data-access/apps/key-file.ts';
import { DEFAULT_LIMITS, type DuckDbLimits } from '../../../functions/data-access/engines/duckdb/engine.ts';
import { SCHEMA_SQL } from '../../../functions/data-access/engines/duckdb/schema.ts';
import { dayDigestsSql, HOURS_SQL } from '../../../local/data/hour-sums.ts';
import { type EventRow, type SessionRow, type VisitRow, writeRows } from '../../../local/data/rows.ts';
import { hashOf } from '../../../shared/access/api-key.ts';
import {
  cursorPaginationSchema,
  errorBodySchema,
  paginationSchema,
} from '../../../shared/contract/responses.ts';
import { TABLE_NAMES } from '../../../shared/contract/tables.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';

export const KEY = 'k-3f9c-sample';
export const NOW = Date.parse('2026-04-10T12:00:00Z');

type Value = string | number | boolean | null | readonly string[] | Readonly<Record<string, unknown>>;
export type Columns = Readonly<Record<string, Value>>;

let made = 0;

/** A session with defaults for all columns but `columns`; by default it is uploaded when it is recorded. */
export function session(columns: Columns = {}): Columns {
  made += 1;
  const recorded = columns.recorded_at ?? '2026-04-01T10:00:00Z';
  return {
    session_id: `s${made}`,
    user_id: `u${made}`,
    session_number: 1,
    recorded_at: recorded,
    uploaded_at: recorded,
    duration_sec: 60,
    gesture_count: 10,
    rage_gesture_count: 0,
    responsive_gesture_count: 9,
    unresponsive_gesture_count: 1,
    screen_count: 3,
    unique_screen_count: 2,
    screens: ['Home', 'Cart'],
    event_count: 0,
    crashed: false,
    has_video: true,
    offline: false,
    platform: 'android',
    user_properties: {},
    ...columns,
  };
}

/** An event of the session `of`; by default it is recorded and uploaded with it. */
export function event(of: Columns, columns: Columns = {}): Columns {
  made += 1;
  const recorded = columns.recorded_at ?? of.recorded_at ?? '';
  return {
    event_id: `e${made}`,
    session_id: of.session_id ?? '',
    user_id: of.user_id ?? '',
    event_name: 'purchase',
    screen_name: 'Cart',
    recorded_at: recorded,
    uploaded_at: columns.recorded_at ?? of.uploaded_at ?? recorded,
    properties: {},
    ...columns,
  };
}

/** A screen visit of the session `of`; by default its only one. */
export function visit(of: Columns, columns: Columns = {}): Columns {
  return {
    session_id: of.session_id ?? '',
    user_id: of.user_id ?? '',
    screen_name: 'Cart',
    recorded_at: of.recorded_at ?? '',
    uploaded_at: of.uploaded_at ?? '',
    time_on_screen_sec: 10,
    visit_rage_gesture_count: 0,
    is_entry: true,
    is_exit: true,
    is_bounce: true,
    ...columns,
  };
}

export interface SampleData {
  readonly sessions?: readonly Columns[];
  readonly events?: readonly Columns[];
  readonly visits?: readonly Columns[];
}

export async function writeData(path: string, data: SampleData): Promise<void> {
  const fresh = `${path}.new`;
  const instance = await DuckDBInstance.create(fresh);
  const connection = await instance.connect();
  await connection.run(SCHEMA_SQL);
  const { sessions = [], events = [], visits = [] } = data;
  await writeRows(connection, [
    {
      sessions: sessions.map((row) => stored<SessionRow>(row)),
      events: events.map((row) => stored<EventRow>(row)),
      visits: visits.map((row) => stored<VisitRow>(row)),
    },
  ]);
  await connection.run(HOURS_SQL);
  await connection.run(`CREATE TABLE day_digests AS ${dayDigestsSql(TABLE_NAMES)}`);
  connection.closeSync();
  instance.closeSync();
  await rename(fresh, path);
}

/** A row with times as milliseconds and maps as JSON. */
function stored<Row>(columns: Columns): Row {
  const cells = Object.entries(columns).map(([name, value]) => {
    if (name.endsWith('_at')) return [name, Date.parse(String(value))];
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [name, isMap ? JSON.stringify(value) : value];
  });
  return Object.fromEntries(cells) as Row;
}

export interface SampleOptions extends SampleData {
  readonly zone?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<DuckDbLimits>;
  readonly service?: Partial<DataAccessOptions>;
}

export interface Sample {
  readonly app: DataAccessApp;
  readonly clock: ManualClock;
  readonly directory: string;
  readonly logged: unknown[];
  /** A request in the legacy style with valid credentials; parameters are encoded as JSON. */
  get(path: string, parameters?: Readonly<Record<string, unknown>>): Promise<Reply>;
  /** A request in the JSON style with valid credentials. */
  post(path: string, body?: Readonly<Record<string, unknown>>): Promise<Reply>;
  close(): Promise<void>;
}

const answerSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(z.record(z.string(), z.unknown())),
  pagination: z.union([paginationSchema, cursorPaginationSchema]),
  error: z.undefined().optional(),
});
const refusalSchema = errorBodySchema.extend({ pagination: z.undefined().optional() });

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: z.infer<typeof answerSchema> | z.infer<typeof refusalSchema>;
}

/** The service with the apps `shop` and `other`; by default it does not enforce limits. */
export async function sample(options: SampleOptions = {}): Promise<Sample> {
  const directory = await mkdtemp(join(tmpdir(), 'data-access-'));
  const settings = {
    id: 'shop',
    name: 'Shop',
    zone: options.zone ?? 'Europe/Berlin',
    rateLimit: { enforce: false },
    ...options.settings,
  };
  await writeFile(
    join(directory, 'keys.json'),
    JSON.stringify([{ id: 'k1', sha256: hashOf(KEY), apps: ['shop', 'empty'] }]),
  );
  await writeFile(join(directory, 'shop.json'), JSON.stringify(settings));
  await writeFile(join(directory, 'other.json'), JSON.stringify({ ...settings, id: 'other' }));
  await writeData(join(directory, 'shop.duckdb'), options);
  const apps = appsIn(directory, { ...DEFAULT_LIMITS, memoryLimit: '256MB', ...options.limits });
  const clock = new ManualClock(NOW);
  const logged: unknown[] = [];
  const log = (message: string, fields?: unknown) => logged.push([message, fields]);
  const app = createDataAccessApp({
    keys: keysIn(directory),
    apps,
    clock,
    logger: { warn: log, error: log },
    cursorSecret: 'of-the-tests',
    ...options.service,
  });
  return {
    app,
    clock,
    directory,
    logged,
    get: async (path, parameters = {}) => {
      const query = new URLSearchParams({ appid: 'shop', apikey: KEY });
      for (const [name, value] of Object.entries(parameters)) {
        query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
      }
      return reply(await app.request(`${path}?${query}`));
    },
    post: async (path, body = {}) =>
      reply(
        await app.request(path, {
          method: 'POST',
          headers: { 'X-Api-Key': KEY, 'Content-Type': 'application/json' },
          body: JSON.stringify({ app_id: 'shop', ...body }),
        }),
      ),
    close: async () => {
      apps.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Parses a response, which must match the contract. */
export async function reply(response: Response): Promise<Reply> {
  const schema = response.ok ? answerSchema : refusalSchema;
  return { status: response.status, headers: response.headers, body: schema.parse(await response.json()) };
}

/** A filter on the window; the bounds are dates or timestamps. */
export const range = (lower: string, upper: string) => ({
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower, upper },
});

/** Opens sample apps in a test file, and closes them after each test. */
export function closingSamples(): (options: SampleOptions) => Promise<Sample> {
  const opened: Sample[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });
  return async (options) => {
    const one = await sample(options);
    opened.push(one);
    return one;
  };
}
