import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../shared/readings/reading.ts';
import type { ReadingStore } from '../../shared/readings/snapshots.ts';
import { inMemoryReadingStore } from '../../shared/store/in-memory/stores.ts';
import { readingStoreIn } from '../../shared/store/reading-store.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { onBothStores } from './both-stores.ts';
import { aLargeSnapshot, aSnapshot } from './samples.ts';

const { window, family } = aSnapshot();
const ever = { fromEndAt: 0, throughEndAt: window.endAt + HOUR_MS };

function hoursEarlier(hours: number): Snapshot {
  const back = hours * HOUR_MS;
  return aSnapshot({ window: { startAt: window.startAt - back, endAt: window.endAt - back } });
}

function readingStoreContract(store: () => ReadingStore) {
  test('load returns a snapshot as saved', async () => {
    const { eventNames: _, ...unnamed } = aSnapshot({ keys: [], rows: [] });
    for (const snapshot of [aSnapshot(), unnamed]) await store().save(snapshot);
    const loaded = await store().load(family, ever);
    expect(loaded).toHaveLength(2);
    expect(loaded).toEqual(expect.arrayContaining([aSnapshot(), unnamed]));
  });

  test('load includes both ends of the range, sorted by window', async () => {
    for (const hours of [2, 0, 3, 1]) await store().save(hoursEarlier(hours));
    const range = { fromEndAt: window.endAt - 2 * HOUR_MS, throughEndAt: window.endAt - HOUR_MS };
    expect(await store().load(family, range)).toEqual([hoursEarlier(2), hoursEarlier(1)]);
    const narrower = { fromEndAt: range.fromEndAt + 1, throughEndAt: range.throughEndAt - 1 };
    expect(await store().load(family, narrower)).toEqual([]);
  });

  test('load returns one family only', async () => {
    await store().save(aSnapshot({ family: `${family}0` }));
    expect(await store().load(family, ever)).toEqual([]);
  });

  test('save keeps the first snapshot of a question, in any order of event names', async () => {
    await store().save(aSnapshot());
    await store().save(aSnapshot({ readAt: aSnapshot().readAt + 1, rows: [] }));
    await store().save(aSnapshot({ eventNames: ['buy', 'open'], rows: [] }));
    expect(await store().load(family, ever)).toEqual([aSnapshot()]);
  });

  test('save adds one snapshot of a reread window per tick', async () => {
    const again = (rereadAt: number) => aSnapshot({ rereadAt, readAt: rereadAt + 1, rows: [] });
    const snapshots = [
      aSnapshot(),
      again(aSnapshot().readAt + HOUR_MS),
      again(aSnapshot().readAt + 2 * HOUR_MS),
    ];
    for (const snapshot of snapshots) await store().save(snapshot);
    for (const snapshot of snapshots) await store().save({ ...snapshot, readAt: snapshot.readAt + 5 });
    const loaded = await store().load(family, ever);
    expect(loaded).toHaveLength(3);
    expect(loaded).toEqual(expect.arrayContaining(snapshots));
  });

  test('load returns isAlone as saved', async () => {
    await store().save(aSnapshot({ isAlone: true }));
    expect(await store().load(family, ever)).toEqual([aSnapshot({ isAlone: true })]);
  });

  test('save keeps snapshots with other event names or keys', async () => {
    await store().save(aSnapshot());
    await store().save(aSnapshot({ eventNames: ['open'] }));
    await store().save(aSnapshot({ keys: ['event_count', 'event_unique_user_count'] }));
    expect(await store().load(family, ever)).toHaveLength(3);
  });

  test('load with event names skips snapshots of other events', async () => {
    const { eventNames: _, ...unnamed } = aSnapshot({ keys: [] });
    const both = aSnapshot({ eventNames: ['buy', 'sell'] });
    for (const snapshot of [both, aSnapshot({ eventNames: ['open'] }), unnamed]) await store().save(snapshot);
    const loaded = await store().load(family, ever, ['sell', 'close']);
    expect(loaded).toHaveLength(2);
    expect(loaded).toEqual(expect.arrayContaining([both, unnamed]));
  });

  test('load returns a snapshot of megabytes, which later saves do not change', async () => {
    const large = aLargeSnapshot(1100);
    await store().save(large);
    await store().save(aLargeSnapshot(900));
    expect(await store().load(family, ever)).toEqual([large]);
  });

  test('one of several concurrent large snapshots is kept and complete', async () => {
    const rivals = [1, 2, 3].map((readAt) => aLargeSnapshot(450, { readAt: aSnapshot().readAt + readAt }));
    await Promise.all(rivals.map((snapshot) => store().save(snapshot)));
    const [kept, ...others] = await store().load(family, ever);
    expect(others).toEqual([]);
    expect(rivals).toContainEqual(kept);
  });

  test('changes of loaded snapshots do not change the store', async () => {
    await store().save(aSnapshot());
    const [loaded] = await store().load(family, ever);
    expect(Object.isFrozen(loaded?.rows) || loaded?.rows.pop()).toBeTruthy();
    expect(await store().load(family, ever)).toEqual([aSnapshot()]);
  });
}

describe('ReadingStore', () => {
  onBothStores({ inMemory: inMemoryReadingStore, inTable: readingStoreIn }, readingStoreContract);
});
