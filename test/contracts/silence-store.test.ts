import { describe, expect, test } from 'vitest';
import type { Silence, SilenceStore } from '../../shared/silences/silence.ts';
import { silenceStoreIn } from '../../shared/store/silence-store.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { onEachTable, onEmptyTable } from './both-stores.ts';
import { NOW } from './samples.ts';

function aSilence(overrides: Partial<Silence> = {}): Silence {
  return {
    id: 'one',
    match: { rule: ['checkout-*', 'pay'], segment: 'Côte d’Ivoire' },
    fromAt: NOW,
    untilAt: NOW + 3_600_000,
    by: 'anna@example.com',
    at: NOW - 5,
    reason: '',
    ...overrides,
  };
}

function silenceStoreContract(store: () => SilenceStore) {
  test('loadAll returns all silences as saved', async () => {
    const silences = [
      aSilence(),
      aSilence({ id: 'three', match: { segment: { is: ' * ' } } }),
      aSilence({ id: 'two', match: {}, reason: 'maintenance' }),
    ];
    for (const silence of silences) await store().save(silence);
    expect((await store().loadAll()).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(silences);
  });

  test('save replaces a silence with the same id', async () => {
    await store().save(aSilence());
    await store().save(aSilence({ untilAt: NOW }));
    expect(await store().loadAll()).toEqual([aSilence({ untilAt: NOW })]);
  });

  test('loadAll includes expired silences', async () => {
    const over = aSilence({ fromAt: NOW - 9 * DAY_MS, untilAt: NOW - 8 * DAY_MS });
    await store().save(over);
    expect(await store().loadAll()).toEqual([over]);
  });
}

describe('SilenceStore', () => {
  onEachTable(silenceStoreIn, silenceStoreContract);

  describe('in DynamoDB', () => {
    const table = onEmptyTable();

    test('a silence is removed 30 days after its end', async () => {
      await silenceStoreIn(table()).save(aSilence({ untilAt: NOW }));
      table().clock.advanceTo(NOW + 30 * DAY_MS - 1000);
      expect(await silenceStoreIn(table()).loadAll()).toHaveLength(1);
      table().clock.advanceTo(NOW + 30 * DAY_MS + 1000);
      expect(await silenceStoreIn(table()).loadAll()).toEqual([]);
    });
  });
});
