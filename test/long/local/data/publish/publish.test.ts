import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseMapping } from '../../../../../local/data/import/fields.ts';
import { importEvents } from '../../../../../local/data/import/import-events.ts';
import type { Lake, Stored } from '../../../../../local/data/publish/lake.ts';
import { type PublishOptions, publishApp } from '../../../../../local/data/publish/publish.ts';
import { TABLE_NAMES, TABLES } from '../../../../../shared/contract/tables.ts';
import { UpstreamError } from '../../../../../shared/runtime/errors.ts';
import { folderLake } from '../../../../fakes/folder-lake.ts';

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-05'];

let root: string;
let dir: string;
let out: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "publish's-"));
  [dir, out] = [join(root, 'data'), join(root, 'lake')];
});
afterEach(() => rm(root, { recursive: true }));

const daysOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(2026, 2, 1 + i)).toISOString().slice(0, 10));

/** Imports events of two users at the start and end of each UTC day. */
async function importDays(days: readonly string[], app = 'shop') {
  const file = join(root, `${app}.csv`);
  const rows = days.flatMap((day) => [
    `b_late,u1,${day}T23:59:59.999Z,Cart,9`,
    `a_early,u1,${day}T00:00:00.000Z,Home,8`,
    `b_early,u2,${day}T00:00:00.000Z,Home,7`,
  ]);
  await writeFile(file, ['event_name,user_id,recorded_at,screen_name,price', ...rows, ''].join('\n'));
  const mapping = parseMapping([], []);
  const options = { file, dir, app, mapping, timeFormat: 'iso', skipBad: false } as const;
  await importEvents({ ...options, existing: 'replace' });
}

const publish = (options: Partial<PublishOptions> = {}) =>
  publishApp({ dir, app: 'shop', lake: folderLake(out), ...options });

/** Records the writes to a lake, and fails the ones that `failing` selects. */
function watched(lake: Lake, failing: (asked: string) => boolean = () => false) {
  const asked: string[] = [];
  const ask = async (what: string) => {
    if (failing(what)) throw new UpstreamError('S3 refused: SlowDown', { retryable: true });
    asked.push(what);
  };
  const wrapped: Lake = {
    ...lake,
    put: async (key, content, instead) => {
      await ask(`put ${key}`);
      return lake.put(key, content, instead);
    },
    remove: async (keys) => {
      if (keys.length > 0) await ask(`remove ${keys.join()}`);
      await lake.remove(keys);
    },
  };
  return { lake: wrapped, asked };
}

async function query(sql: string) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(sql)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

async function inDataFile(...statements: string[]) {
  const instance = await DuckDBInstance.create(join(dir, 'shop.duckdb'));
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();

describe('publishApp', () => {
  test('writes one file per table and UTC day, and reports progress', async () => {
    await importDays(DAYS);
    const shown: string[] = [];
    const report = await publish({ onProgress: (done, of) => shown.push(`${done}/${of}`) });

    const files = TABLE_NAMES.flatMap((table) =>
      DAYS.map((day) => `v2/${table}/app_id=shop/day=${day}/data.parquet`),
    );
    expect(await filesIn(out)).toEqual(['v2/published/app_id=shop.json', ...files].sort());
    expect(report).toMatchObject({ written: 15, unchanged: 0, removed: 0 });
    expect(report).toMatchObject({ firstDay: '2026-03-01', lastDay: '2026-03-05' });
    expect(shown.at(-1)).toBe('15/15');
  });

  test('writes the rows of each day in order, with the columns of the table', async () => {
    await importDays(DAYS);
    await publish();

    const file = join(out, 'v2/events/app_id=shop/day=2026-03-02/data.parquet').replaceAll("'", "''");
    const read = `read_parquet('${file}', hive_partitioning = false)`;
    expect(await query(`SELECT event_name, user_id FROM ${read}`)).toEqual([
      ['a_early', 'u1'],
      ['b_early', 'u2'],
      ['b_late', 'u1'],
    ]);
    const columns = await query(`SELECT column_name FROM (DESCRIBE FROM ${read})`);
    expect(columns.flat()).toEqual(Object.keys(TABLES.events));
    expect(await query(`SELECT DISTINCT compression FROM parquet_metadata('${file}')`)).toEqual([['ZSTD']]);
  });

  test.each([
    { name: 'a late event of a new user', user: 'u9', days: ['2026-03-02'], written: 5 },
    // The numbers of all later sessions of the user change, and so do all rows of these days, but not their sums.
    { name: 'a late event of an earlier user', user: 'u1', days: ['2026-03-02', '2026-03-05'], written: 8 },
  ])('writes only the days that $name changes', async ({ user, days, written }) => {
    await importDays(DAYS);
    await publish();
    const file = join(root, 'late.csv');
    await writeFile(
      file,
      `event_name,user_id,recorded_at,screen_name\nlate,${user},2026-03-02T12:00:00Z,Home\n`,
    );
    const options = { file, dir, app: 'shop', mapping: parseMapping([], []), skipBad: false } as const;
    await importEvents({ ...options, timeFormat: 'iso', existing: 'append' });

    const { lake, asked } = watched(folderLake(out));
    expect(await publish({ lake })).toMatchObject({
      written,
      unchanged: 15 - written,
    });
    const changed = asked.flatMap((what) => /day=([\d-]+)/.exec(what)?.[1] ?? []);
    expect([...new Set(changed)].sort()).toEqual(days);
  });

  test('does not read the rows of unchanged days', async () => {
    await importDays(DAYS);
    await publish();
    // Any other digest of these days would show that their rows were read.
    await inDataFile('DELETE FROM events', 'DELETE FROM sessions', 'DELETE FROM screen_visits');
    expect(await publish()).toMatchObject({ written: 0, unchanged: 15, removed: 0 });
  });

  test.each([
    { name: 'without a record', record: undefined },
    { name: 'whose record is damaged', record: '{"v2/' },
  ])('writes each file again of a publication $name', async ({ record }) => {
    await importDays(DAYS);
    await publish();
    const path = join(out, 'v2/published/app_id=shop.json');
    if (record === undefined) await rm(path);
    else await writeFile(path, record);
    await writeFile(join(out, 'v2/events/app_id=shop/day=2026-03-05/data.parquet'), 'torn');
    expect(await publish()).toMatchObject({ written: 15, unchanged: 0 });
  });

  test('removes days without data last, and only files of its app', async () => {
    await importDays(DAYS);
    await importDays(DAYS, 'shop2');
    await publish();
    await publish({ app: 'shop2' });
    const foreign = join(out, 'v2/events/app_id=shop/day=2026-03-01/notes.parquet');
    await writeFile(foreign, '');

    await importDays(['2026-03-02', '2026-03-07']);
    const { lake, asked } = watched(folderLake(out));
    expect(await publish({ lake, remove: true })).toMatchObject({ removed: 10 });
    expect(asked.map((what) => what.split(' ')[0])).toEqual([
      ...Array(asked.length - 2).fill('put'),
      'remove',
      'put',
    ]);
    const left = await filesIn(join(out, 'v2/events'));
    expect(left.filter((file) => file.startsWith('app_id=shop/'))).toEqual([
      'app_id=shop/day=2026-03-01/notes.parquet',
      'app_id=shop/day=2026-03-02/data.parquet',
      'app_id=shop/day=2026-03-07/data.parquet',
    ]);
    expect(left.filter((file) => file.startsWith('app_id=shop2/'))).toHaveLength(3);
  });
});

describe('publishApp of fewer days than published', () => {
  test.each([
    { there: 8, left: 5, refused: undefined },
    { there: 8, left: 4, refused: '4 of the 8 days of shop' },
    { there: 4, left: 2, refused: undefined },
    { there: 3, left: 1, refused: '2 of the 3 days of shop' },
  ])('with $left of $there days, removes many only with remove', async (row) => {
    await importDays(daysOf(row.there));
    await publish();
    await importDays(daysOf(row.left));
    const { lake, asked } = watched(folderLake(out));
    if (row.refused !== undefined) {
      const message = expect.stringContaining(row.refused);
      await expect(publish({ lake })).rejects.toMatchObject({ name: 'ConfigError', message });
      expect(asked).toEqual([]);
    }
    const report = await publish(row.refused === undefined ? {} : { remove: true });
    expect(report).toMatchObject({ removed: TABLE_NAMES.length * (row.there - row.left) });
  });
});

describe('publishApp on a failure', () => {
  test('removes nothing and reports progress; the next run completes it', async () => {
    await importDays(DAYS);
    await publish();
    await importDays(['2026-03-02', '2026-03-07']);
    const { lake, asked } = watched(folderLake(out), (what) =>
      what.includes('events/app_id=shop/day=2026-03-07'),
    );

    await expect(publish({ lake, remove: true })).rejects.toThrow(
      /^S3 refused: SlowDown; \d of 10 partitions are in place; run the same command again for the rest$/,
    );
    expect(asked.filter((what) => what.startsWith('remove'))).toEqual([]);
    expect(await publish({ remove: true })).toMatchObject({ removed: 10 });
    expect(await filesIn(out)).toHaveLength(10 + 1);
  });

  test('that ends the process repeats at most 100 days', async () => {
    await importDays(daysOf(50));
    const reached: string[] = [];
    const { lake } = watched(folderLake(out), (what) => reached.push(what) > 130);
    await expect(publish({ lake })).rejects.toMatchObject({ name: 'UpstreamError' });

    expect(await publish()).toMatchObject({ written: 150, unchanged: 100 });
  });

  test('does not overwrite files of a concurrent publish', async () => {
    await importDays(DAYS);
    const plain = folderLake(out);
    const theirs = join(out, 'v2/events/app_id=shop/day=2026-03-02/data.parquet');
    const list = async (prefix: string): Promise<readonly Stored[]> => {
      const listed = await plain.list(prefix);
      await mkdir(dirname(theirs), { recursive: true });
      await writeFile(theirs, 'theirs');
      return listed;
    };
    const conflict = {
      name: 'ConflictError',
      message: expect.stringMatching(/^another process is publishing shop/),
    };
    await expect(publish({ lake: { ...plain, list } })).rejects.toMatchObject(conflict);
    expect(await readFile(theirs, 'utf8')).toBe('theirs');
  });

  test('names an app without data, and data of another version', async () => {
    await expect(publish()).rejects.toThrow('App shop has no data');
    await importDays(DAYS);
    await inDataFile('UPDATE layout SET version = 1');
    await expect(publish()).rejects.toMatchObject({ name: 'ConfigError' });
  });
});
