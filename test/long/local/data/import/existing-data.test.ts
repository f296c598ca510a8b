import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { appPaths } from '../../../../../local/data/app-file.ts';
import {
  csv,
  importsIntoShop,
  opened,
  sameWhereverCut,
} from '../../../../local/data/import/imported-shop.ts';

const { folder, importText, rowsOf, sessionsOf } = importsIntoShop();

describe('an import into an app with data', () => {
  const FIRST = csv('a,u,2026-03-01T10:00Z', 'a,v,2026-03-01T10:00Z');

  it('replaces generated data, but does not append to it', async () => {
    await importText('first.csv', FIRST);
    const { data, incidents } = appPaths(join(folder(), 'data'), 'shop');
    await writeFile(incidents, '[]');
    const before = await readFile(data);
    await expect(importText('second.csv', csv('b,u,2026-03-02'), { existing: 'append' })).rejects.toThrow(
      /holds generated data.*another --app/,
    );
    expect(before.equals(await readFile(data))).toBe(true);
    await importText('second.csv', csv('b,u,2026-03-02'), { existing: 'replace' });
    expect(await readdir(join(folder(), 'data'))).not.toContain('shop.incidents.json');
  });

  it('numbers sessions of a user by time across files', async () => {
    await importText('first.csv', FIRST);
    await importText('second.csv', csv('b,u,2026-03-02T10:00Z', 'b,u,2026-02-01T10:00Z'), {
      existing: 'append',
    });
    expect(
      await rowsOf(
        'SELECT user_id, session_number, recorded_at FROM sessions ORDER BY user_id, session_number',
      ),
    ).toEqual([
      { user_id: 'u', session_number: 1, recorded_at: '2026-02-01 10:00:00' },
      { user_id: 'u', session_number: 2, recorded_at: '2026-03-01 10:00:00' },
      { user_id: 'u', session_number: 3, recorded_at: '2026-03-02 10:00:00' },
      { user_id: 'v', session_number: 1, recorded_at: '2026-03-01 10:00:00' },
    ]);
  });

  it('yields the same sessions wherever the events are split into files', () =>
    // test/soak/imports-in-parts.test.ts splits 100 files.
    sameWhereverCut(folder(), 3));

  it('joins sessions across files unless thirty minutes lie between them', async () => {
    await importText('first.csv', csv('b,u,2026-03-01T10:20Z', 'b,u,2026-03-01T10:40Z'));
    const appended = { existing: 'append' } as const;
    await importText('second.csv', csv('a,u,2026-03-01T10:00Z', 'c,u,2026-03-01T11:09Z'), appended);
    await importText('third.csv', csv('d,u,2026-03-01T11:20Z', 'e,u,2026-03-01T11:50Z'), appended);
    expect(await sessionsOf()).toEqual([
      expect.objectContaining({ session_number: 1, duration_sec: 80 * 60, event_count: 5 }),
      expect.objectContaining({ session_number: 2, duration_sec: 0, event_count: 1 }),
    ]);
  });

  it('keeps sessions of two users with the same session id apart', async () => {
    const header = 'event_name,user_id,session_id,recorded_at\n';
    await importText('first.csv', `${header}a,u,1,2026-03-01T10:00Z\na,v,1,2026-03-01T09:00Z\n`);
    await importText(
      'second.csv',
      `${header}b,u,1,2026-03-01T10:01Z\nb,v,1,2026-03-01T10:01Z\nb,w,1,2026-02-01T10:00Z\n`,
      { existing: 'append' },
    );
    expect(await rowsOf('SELECT session_id, user_id, event_count FROM sessions ORDER BY user_id')).toEqual([
      { session_id: 'u:1', user_id: 'u', event_count: 2 },
      { session_id: 'v:1', user_id: 'v', event_count: 2 },
      { session_id: '1', user_id: 'w', event_count: 1 },
    ]);
    expect(
      await rowsOf(
        'SELECT count(*)::INTEGER AS n FROM events ANTI JOIN sessions USING (session_id, user_id)',
      ),
    ).toEqual([{ n: 0 }]);
  });

  it('rejects a file appended twice unless it is mapped differently', async () => {
    const text = 'event_name,sender,receiver,recorded_at\nmessage,a,b,2026-03-01T10:00Z\n';
    await importText('m.csv', text, { map: ['user_id=sender'] });
    await expect(importText('m.csv', text, { map: ['user_id=sender'], existing: 'append' })).rejects.toThrow(
      'line 2: this line of this file was imported before',
    );
    const report = await importText('m.csv', text, { map: ['user_id=receiver'], existing: 'append' });
    expect(report.app).toMatchObject({ events: 2, users: 2 });
  });

  it('replaces data of another layout, but does not append to it', async () => {
    await importText('a.csv', csv('a,u,2026-03-01'));
    const old = await opened(appPaths(join(folder(), 'data'), 'shop').data);
    await old.rows('UPDATE layout SET version = 1').finally(() => old.close());

    const appended = importText('b.csv', csv('b,u,2026-03-02'), { existing: 'append' });
    await expect(appended).rejects.toThrow(/another version of Deltawatch.*--replace/);
    await importText('b.csv', csv('b,u,2026-03-02'), { existing: 'replace' });
    expect(await rowsOf('SELECT event_name FROM events')).toEqual([{ event_name: 'b' }]);
  });

  it('with --replace keeps only the settings', async () => {
    await importText('first.csv', FIRST, { zone: 'Europe/Berlin' });
    await importText('second.csv', csv('b,w,2026-03-02'), { existing: 'replace' });
    expect(await rowsOf('SELECT user_id FROM events')).toEqual([{ user_id: 'w' }]);
    await expect(
      importText('second.csv', csv('b,w,2026-03-02'), { existing: 'replace', zone: 'Asia/Tokyo' }),
    ).rejects.toThrow('has the zone Europe/Berlin');
  });

  it.each(['append', 'replace'] as const)(
    'keeps the data if %s fails, and does not affect readers',
    async (existing) => {
      await importText('first.csv', FIRST);
      const path = appPaths(join(folder(), 'data'), 'shop').data;
      const before = await readFile(path);
      const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
      const connection = await instance.connect();
      const events = async () =>
        (await connection.runAndReadAll('SELECT count(*)::INTEGER FROM events')).getRowsJS();

      await expect(
        importText('bad.csv', csv('b,u,2026-03-02', 'b,,2026-03-02'), { existing }),
      ).rejects.toThrow('line 3');
      expect(before.equals(await readFile(path))).toBe(true);
      expect((await readdir(join(folder(), 'data'))).sort()).toEqual(['shop.duckdb', 'shop.json']);

      await importText('good.csv', csv('b,u,2026-03-02'), { existing });
      expect(await events()).toEqual([[2]]);
      connection.closeSync();
      instance.closeSync();
      expect(await rowsOf('SELECT count(*)::INTEGER AS n FROM events')).toEqual([
        { n: existing === 'append' ? 3 : 1 },
      ]);
    },
  );
});
