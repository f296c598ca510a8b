import { describe, expect, test } from 'vitest';
import { readingStoreIn } from '../../../shared/store/reading-store.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { aLargeSnapshot, aSnapshot, NOW } from '../../contracts/samples.ts';
import { countUsage } from '../../fixtures/table-usage.ts';
import { crashAfterWrites, recover } from './request-faults.ts';

const { family, window } = aSnapshot();
const ever = { fromEndAt: 0, throughEndAt: NOW + DAY_MS };

describe('readingStoreIn', () => {
  const table = onEmptyTable();
  const itemCount = async () => {
    const items = await table().query({ partition: `SNAPSHOTS#${family}` });
    return items.length;
  };

  test('a snapshot larger than an item is stored in several and read over several pages', async () => {
    const usage = countUsage(table().client);
    const large = aLargeSnapshot(1500);
    await readingStoreIn(table()).save(large);
    expect(await itemCount()).toBeGreaterThan(3);
    expect(await readingStoreIn(table()).load(family, ever)).toEqual([large]);
    expect(usage.requests.QueryCommand).toBeGreaterThan(2);
  });

  test('a crash between tail and head leaves no snapshot, and the next save succeeds', async () => {
    crashAfterWrites(table(), 1);
    const store = readingStoreIn(table());
    await expect(store.save(aLargeSnapshot(500))).rejects.toThrow('crashed');
    recover(table());
    expect(await itemCount()).toBeGreaterThan(0);
    expect(await store.load(family, ever)).toEqual([]);
    const next = aLargeSnapshot(500, { readAt: NOW + 1 });
    await store.save(next);
    expect(await store.load(family, ever)).toEqual([next]);
  });

  test.each([
    ['an hour', HOUR_MS, 74],
    ['a day of 23 hours', 23 * HOUR_MS, 420],
    ['a week', 7 * DAY_MS, 420],
    ['a month', 31 * DAY_MS, 420],
  ])('a snapshot of %s expires after its retention', async (_name, length, days) => {
    const store = readingStoreIn(table());
    await store.save(aSnapshot({ window: { startAt: window.endAt - length, endAt: window.endAt } }));
    table().clock.advanceTo(window.endAt + days * DAY_MS - 1);
    expect(await store.load(family, ever)).toHaveLength(1);
    table().clock.advanceTo(window.endAt + days * DAY_MS);
    expect(await store.load(family, ever)).toEqual([]);
  });

  test('save replaces an expired snapshot that DynamoDB has not removed yet', async () => {
    const store = readingStoreIn(table());
    await store.save(aSnapshot());
    table().clock.advanceTo(window.endAt + 74 * DAY_MS);
    const renewed = aSnapshot({ readAt: NOW + 74 * DAY_MS, rows: [] });
    await store.save(renewed);
    expect(await store.load(family, ever)).toEqual([renewed]);
  });
});
