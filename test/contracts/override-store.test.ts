import { describe, expect, test } from 'vitest';
import { inMemoryOverrideStore } from '../../local/replay/in-memory-stores.ts';
import { dynamodbOverrideStore } from '../../shared/adapters/dynamodb-override-store.ts';
import type { Override } from '../../shared/alerting/overrides.ts';
import type { OverrideStore } from '../../shared/alerting/ports.ts';
import { onBothStores, onEmptyTable } from './both-stores.ts';
import { NOW } from './samples.ts';

const DAY = 86_400_000;

function anOverride(overrides: Partial<Override> = {}): Override {
  return {
    ruleId: 'purchases',
    meaning: 'watched.judged',
    instead: {
      fire: { change: { above: 1.5, below: -0.6 }, difference: { above: 100 }, current: { below: 0.25 } },
      recover: { change: { below: -0.4 } },
      minimum: { current: 200, baseline: 0, difference: 5 },
    },
    untilAt: NOW + 3 * DAY,
    by: 'anna@example.com',
    at: NOW,
    reason: 'a sale in Côte d’Ivoire',
    ...overrides,
  };
}

function overrideStoreContract(store: () => OverrideStore) {
  test('every override comes back as it was saved', async () => {
    const overrides = [
      anOverride(),
      anOverride({ at: NOW + 1, instead: { minimum: { current: 1 } } }),
      anOverride({ ruleId: 'purchases-de', instead: { fire: { change: { below: -0.9 } } } }),
    ];
    for (const override of overrides) await store().save(override);
    const loaded = await store().loadAll();
    expect(loaded).toHaveLength(overrides.length);
    expect(loaded).toEqual(expect.arrayContaining(overrides));
  });

  test('one that is saved again is changed', async () => {
    await store().save(anOverride());
    await store().save(anOverride({ untilAt: NOW + 1 }));
    expect(await store().loadAll()).toEqual([anOverride({ untilAt: NOW + 1 })]);
  });

  test('one that is over is still known, as windows of its time may be judged again', async () => {
    const over = anOverride({ at: NOW - 9 * DAY, untilAt: NOW - 8 * DAY });
    await store().save(over);
    expect(await store().loadAll()).toEqual([over]);
  });
}

describe('OverrideStore', () => {
  onBothStores({ inMemory: inMemoryOverrideStore, dynamodb: dynamodbOverrideStore }, overrideStoreContract);

  describe('in DynamoDB', () => {
    const table = onEmptyTable();

    test('an override is forgotten 30 days after its end', async () => {
      await dynamodbOverrideStore(table()).save(anOverride({ untilAt: NOW }));
      table().clock.advanceTo(NOW + 30 * DAY - 1000);
      expect(await dynamodbOverrideStore(table()).loadAll()).toHaveLength(1);
      table().clock.advanceTo(NOW + 30 * DAY + 1000);
      expect(await dynamodbOverrideStore(table()).loadAll()).toEqual([]);
    });
  });
});
