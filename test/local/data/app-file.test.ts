import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appPaths, replaceAppFile, settingsOf } from '../../../local/data/app-file.ts';
import { type EventRow, type RowBatch, type SessionRow, writeRows } from '../../../local/data/rows.ts';
import { ConflictError, InvalidRequestError } from '../../../shared/runtime/errors.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const SHOP = settingsOf({ id: 'shop', name: 'Shop', zone: 'Europe/Berlin' });

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'app-file-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function session(overrides: Partial<SessionRow> = {}): SessionRow {
  return {
    session_id: 's1',
    user_id: 'u1',
    session_number: 1,
    recorded_at: NOON,
    uploaded_at: NOON + 60_000,
    duration_sec: 1.5,
    gesture_count: 3,
    rage_gesture_count: 0,
    responsive_gesture_count: 3,
    unresponsive_gesture_count: 0,
    screen_count: 2,
    unique_screen_count: 2,
    screens: ['Home', 'Item'],
    event_count: 1,
    crashed: false,
    has_video: true,
    offline: false,
    platform: 'android',
    user_properties: '{"plan":"plus"}',
    ...overrides,
  };
}

function event(overrides: Partial<EventRow> = {}): EventRow {
  return {
    event_id: 'e1',
    session_id: 's1',
    user_id: 'u1',
    event_name: 'view_item',
    recorded_at: NOON + 123,
    uploaded_at: NOON + 60_000,
    properties: '{"price":12.5}',
    ...overrides,
  };
}

async function opened(path: string) {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  return {
    rows: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const writeShop = (batches: Iterable<RowBatch>) =>
  replaceAppFile(dir, SHOP, (connection) => writeRows(connection, batches));

async function rowsIn(sql: string) {
  const reader = await opened(appPaths(dir, 'shop').data);
  return await reader.rows(sql).finally(() => reader.close());
}

describe('the file of an app', () => {
  it('stores each type of column unchanged', async () => {
    await writeShop([{ sessions: [session()], events: [event({ screen_name: 'Item' })], visits: [] }]);

    expect(await rowsIn('FROM sessions')).toEqual([
      expect.objectContaining({
        session_id: 's1',
        user_name: null,
        recorded_at: String(NOON),
        duration_sec: 1.5,
        screens: ['Home', 'Item'],
        has_video: true,
        user_properties: '{"plan":"plus"}',
      }),
    ]);
    expect(
      await rowsIn("SELECT recorded_at, screen_name, properties->>'price' AS price FROM events"),
    ).toEqual([{ recorded_at: String(NOON + 123), screen_name: 'Item', price: '12.5' }]);
  });
});

describe('replaceAppFile', () => {
  it('keeps the old file if writing fails halfway', async () => {
    await writeShop([{ sessions: [session()], events: [event()], visits: [] }]);
    const before = await readFile(appPaths(dir, 'shop').data);

    function* failing() {
      yield { sessions: [session({ session_id: 's2' })], events: [], visits: [] };
      throw new Error('disk on fire');
    }
    await expect(writeShop(failing())).rejects.toThrow('disk on fire');

    expect(before.equals(await readFile(appPaths(dir, 'shop').data))).toBe(true);
    expect((await readdir(dir)).sort()).toEqual(['shop.duckdb', 'shop.json']);
  });

  it('removes the files of a crashed process', async () => {
    const paths = appPaths(dir, 'shop');
    await writeFile(paths.next, 'half a file');
    await writeFile(`${paths.next}.wal`, 'half a log');
    await writeFile(paths.lock, '999999999');

    await writeShop([]);
    expect((await readdir(dir)).sort()).toEqual(['shop.duckdb', 'shop.json']);
  });

  it('rejects a second concurrent writer', async () => {
    await replaceAppFile(dir, SHOP, async () => {
      await expect(writeShop([])).rejects.toThrow(ConflictError);
    });
  });
});

describe('settingsOf', () => {
  it.each(['', '../demo', 'a b', 'x'.repeat(65)])('rejects %j as an app id', (id) => {
    expect(() => settingsOf({ id, name: 'x' })).toThrow(InvalidRequestError);
  });

  it.each(['keys', 'Keys'])('rejects %j as an app id because keys.json holds the API keys', (id) => {
    expect(() => settingsOf({ id, name: 'x' })).toThrow(/^"keys" cannot be an app id: .*keys\.json/i);
  });
});

it('is private to its user, and leaves a shared folder and other files in it as they are', async () => {
  const tool = join(dir, 'tool.sh');
  await writeFile(tool, '', { mode: 0o755 });
  await chmod(dir, 0o755);
  await writeShop([{ sessions: [session()], events: [], visits: [] }]);
  const modes = await Promise.all([dir, tool, appPaths(dir, 'shop').data].map((path) => stat(path)));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o755, 0o755, 0o600]);
});
