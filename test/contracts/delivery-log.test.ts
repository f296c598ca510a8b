import { describe, expect, test } from 'vitest';
import type { Delivery, DeliveryLog } from '../../shared/notifications/delivery-log.ts';
import { deliveryLogIn } from '../../shared/store/delivery-log.ts';
import { inMemoryDeliveryLog } from '../../shared/store/in-memory/stores.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { onBothStores, onEmptyTable } from './both-stores.ts';
import { NOW } from './samples.ts';

function aDelivery(overrides: Partial<Delivery> = {}): Delivery {
  return {
    at: NOW,
    channel: 'team',
    route: 'default',
    title: 'Purchases down 41%',
    alerts: 1,
    keys: ['purchases##2026-03-03T00:00:00.000Z#fired#'],
    outcome: { kind: 'sent' },
    ...overrides,
  };
}

function deliveryLogContract(log: () => DeliveryLog) {
  test('loadLast returns saved deliveries, newest first', async () => {
    const failed = { kind: 'failed', reason: 'Slack answered 500', permanent: false } as const;
    const kept = { kind: 'kept', reason: 'no secret "key" on this machine' } as const;
    const outcomes = [{ kind: 'sent' } as const, kept, failed];
    const saved = outcomes.map((outcome, i) => aDelivery({ at: NOW + i, outcome }));
    for (const delivery of saved) await log().save(delivery);
    expect(await log().loadLast(10)).toEqual(saved.toReversed());
  });

  test('loadLast returns at most the limit, across months', async () => {
    const days = Array.from({ length: 25 }, (_, day) => NOW - day * DAY_MS);
    for (const at of days) await log().save(aDelivery({ at }));
    expect((await log().loadLast(20)).map(({ at }) => at)).toEqual(days.slice(0, 20));
    expect(await log().loadLast(100)).toHaveLength(25);
  });

  test('save keeps simultaneous deliveries to two channels', async () => {
    await log().save(aDelivery());
    await log().save(aDelivery({ channel: 'boss' }));
    expect(await log().loadLast(10)).toHaveLength(2);
  });

  test('loadLast returns nothing if nothing was sent', async () => {
    expect(await log().loadLast(10)).toEqual([]);
  });
}

describe('DeliveryLog', () => {
  onBothStores({ inMemory: inMemoryDeliveryLog, inTable: deliveryLogIn }, deliveryLogContract);

  describe('in DynamoDB', () => {
    const table = onEmptyTable();

    test('a delivery expires after 30 days', async () => {
      await deliveryLogIn(table()).save(aDelivery());
      table().clock.advanceTo(NOW + 30 * DAY_MS - 1000);
      expect(await deliveryLogIn(table()).loadLast(1)).toHaveLength(1);
      table().clock.advanceTo(NOW + 30 * DAY_MS + 1000);
      expect(await deliveryLogIn(table()).loadLast(1)).toEqual([]);
    });
  });
});
