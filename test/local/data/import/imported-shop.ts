import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterEach, beforeEach, expect } from 'vitest';
import { appPaths } from '../../../../local/data/app-file.ts';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { type ImportOptions, importEvents } from '../../../../local/data/import/import-events.ts';

type Overrides = Partial<Omit<ImportOptions, 'mapping'>> &
  Partial<Record<'map' | 'set' | 'property', string[]>>;

/** Writes `text` under `name` and imports it into the app "shop" of `dir`. */
async function importTextInto(
  dir: string,
  name: string,
  text: string,
  { map = [], set = [], property = [], ...overrides }: Overrides = {},
) {
  const file = join(dir, name);
  await writeFile(file, text);
  return await importEvents({
    file,
    dir: join(dir, 'data'),
    app: 'shop',
    mapping: parseMapping(map, set, property),
    timeFormat: 'iso',
    skipBad: false,
    ...overrides,
  });
}

export async function opened(path: string) {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  return {
    rows: async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function rowsIn(dir: string, sql: string) {
  const reader = await opened(appPaths(join(dir, 'data'), 'shop').data);
  const rows = await reader.rows(sql).finally(() => reader.close());
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, name.endsWith('_at') ? shown(value) : value]),
    ),
  );
}

const shown = (at: unknown) => new Date(Number(at)).toISOString().slice(0, 19).replace('T', ' ');

/** An empty folder for each test, and what tests of imports do in it. */
export function importsIntoShop() {
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'import-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));
  return {
    folder: () => dir,
    importText: (name: string, text: string, overrides?: Overrides) =>
      importTextInto(dir, name, text, overrides),
    rowsOf: (sql: string) => rowsIn(dir, sql),
    sessionsOf: () =>
      rowsIn(
        dir,
        'SELECT session_id, user_id, session_number, duration_sec, event_count FROM sessions ORDER BY ALL',
      ),
  };
}

/** A CSV file of events with these rows. */
export const csv = (...rows: string[]) => ['event_name,user_id,recorded_at', ...rows, ''].join('\n');

/** Expects the same sessions from a file and from the two files that it is split into. */
export async function sameWhereverCut(dir: string, numRuns: number): Promise<void> {
  const visit = fc.record({
    user: fc.constantFrom('u', 'v'),
    session: fc.constantFrom('', '', 's', 't'),
    screen: fc.constantFrom('', 'Home', 'Cart'),
    minute: fc.integer({ min: 0, max: 200 }),
  });
  const visits = fc.uniqueArray(visit, { minLength: 2, maxLength: 12, selector: ({ minute }) => minute });
  const contents = async () => [
    await rowsIn(dir, 'SELECT * EXCLUDE (event_id) FROM events ORDER BY ALL'),
    await rowsIn(dir, 'FROM sessions ORDER BY ALL'),
    await rowsIn(dir, 'FROM screen_visits ORDER BY ALL'),
  ];
  await fc.assert(
    fc.asyncProperty(visits, fc.nat(), async (unsorted, where) => {
      const rows = unsorted
        .sort((a, b) => a.minute - b.minute)
        .map(({ user, session, screen, minute }) =>
          ['a', user, session, screen, new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString()].join(),
        );
      const fileOf = (some: string[]) =>
        ['event_name,user_id,session_id,screen_name,recorded_at', ...some].join('\n');
      const cut = 1 + (where % (rows.length - 1));
      await importTextInto(dir, 'whole.csv', fileOf(rows), { existing: 'replace' });
      const whole = await contents();
      await importTextInto(dir, 'first.csv', fileOf(rows.slice(0, cut)), { existing: 'replace' });
      await importTextInto(dir, 'second.csv', fileOf(rows.slice(cut)), { existing: 'append' });
      expect(await contents()).toEqual(whole);
    }),
    { numRuns },
  );
}
