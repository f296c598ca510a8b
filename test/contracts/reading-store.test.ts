import { describe, expect, test } from 'vitest';
import { dynamodbReadingStore } from '../../shared/adapters/dynamodb/reading-store.ts';
import { inMemoryReadingStore } from '../../shared/adapters/in-memory/stores.ts';
import type { Sheet } from '../../shared/alerting/readings/reading.ts';
import type { ReadingStore } from '../../shared/alerting/readings/reading-store.ts';
import { onBothStores } from './both-stores.ts';
import { aLargeSheet, aSheet, HOUR } from './samples.ts';

const { window, family } = aSheet();
const ever = { fromEndAt: 0, throughEndAt: window.endAt + HOUR };

function hoursEarlier(hours: number): Sheet {
  const back = hours * HOUR;
  return aSheet({ window: { startAt: window.startAt - back, endAt: window.endAt - back } });
}

function readingStoreContract(store: () => ReadingStore) {
  test('a sheet comes back as it was saved', async () => {
    const { eventNames: _, ...unnamed } = aSheet({ keys: [], rows: [] });
    for (const sheet of [aSheet(), unnamed]) await store().save(sheet);
    const loaded = await store().load(family, ever);
    expect(loaded).toHaveLength(2);
    expect(loaded).toEqual(expect.arrayContaining([aSheet(), unnamed]));
  });

  test('the range takes in both of its ends, in order of the windows', async () => {
    for (const hours of [2, 0, 3, 1]) await store().save(hoursEarlier(hours));
    const range = { fromEndAt: window.endAt - 2 * HOUR, throughEndAt: window.endAt - HOUR };
    expect(await store().load(family, range)).toEqual([hoursEarlier(2), hoursEarlier(1)]);
    const narrower = { fromEndAt: range.fromEndAt + 1, throughEndAt: range.throughEndAt - 1 };
    expect(await store().load(family, narrower)).toEqual([]);
  });

  test('families do not see one another', async () => {
    await store().save(aSheet({ family: `${family}0` }));
    expect(await store().load(family, ever)).toEqual([]);
  });

  test('the first sheet kept of a question stays as it is, in whichever order the question was put', async () => {
    await store().save(aSheet());
    await store().save(aSheet({ readAt: aSheet().readAt + 1, rows: [] }));
    await store().save(aSheet({ eventNames: ['buy', 'open'], rows: [] }));
    expect(await store().load(family, ever)).toEqual([aSheet()]);
  });

  test('a window read again is a further sheet, once for each tick that asked', async () => {
    const again = (rereadAt: number) => aSheet({ rereadAt, readAt: rereadAt + 1, rows: [] });
    const sheets = [aSheet(), again(aSheet().readAt + HOUR), again(aSheet().readAt + 2 * HOUR)];
    for (const sheet of sheets) await store().save(sheet);
    for (const sheet of sheets) await store().save({ ...sheet, readAt: sheet.readAt + 5 });
    const loaded = await store().load(family, ever);
    expect(loaded).toHaveLength(3);
    expect(loaded).toEqual(expect.arrayContaining(sheets));
  });

  test('a sheet that stands alone says so', async () => {
    await store().save(aSheet({ isAlone: true }));
    expect(await store().load(family, ever)).toEqual([aSheet({ isAlone: true })]);
  });

  test('other event names or other keys are another sheet of the same window', async () => {
    await store().save(aSheet());
    await store().save(aSheet({ eventNames: ['open'] }));
    await store().save(aSheet({ keys: ['event_count', 'event_unique_user_count'] }));
    expect(await store().load(family, ever)).toHaveLength(3);
  });

  test('sheets that tell of other events alone are left out where some are named', async () => {
    const { eventNames: _, ...unnamed } = aSheet({ keys: [] });
    const both = aSheet({ eventNames: ['buy', 'sell'] });
    for (const sheet of [both, aSheet({ eventNames: ['open'] }), unnamed]) await store().save(sheet);
    const loaded = await store().load(family, ever, ['sell', 'close']);
    expect(loaded).toHaveLength(2);
    expect(loaded).toEqual(expect.arrayContaining([both, unnamed]));
  });

  test('a sheet of megabytes comes back whole, and stays as it is', async () => {
    const large = aLargeSheet(1100);
    await store().save(large);
    await store().save(aLargeSheet(900));
    expect(await store().load(family, ever)).toEqual([large]);
  });

  test('of several large sheets for one question saved at once, one is kept and whole', async () => {
    const rivals = [1, 2, 3].map((readAt) => aLargeSheet(450, { readAt: aSheet().readAt + readAt }));
    await Promise.all(rivals.map((sheet) => store().save(sheet)));
    const [kept, ...others] = await store().load(family, ever);
    expect(others).toEqual([]);
    expect(rivals).toContainEqual(kept);
  });

  test('what was loaded cannot be changed, or without changing what is stored', async () => {
    await store().save(aSheet());
    const [loaded] = await store().load(family, ever);
    expect(Object.isFrozen(loaded?.rows) || loaded?.rows.pop()).toBeTruthy();
    expect(await store().load(family, ever)).toEqual([aSheet()]);
  });
}

describe('ReadingStore', () => {
  onBothStores({ inMemory: inMemoryReadingStore, dynamodb: dynamodbReadingStore }, readingStoreContract);
});
