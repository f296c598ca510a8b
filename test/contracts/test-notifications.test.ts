import { describe, expect, test } from 'vitest';
import type { TestNotificationStore } from '../../shared/notifications/test-notification.ts';
import { newTestNotification } from '../../shared/notifications/test-notification.ts';
import { testNotificationsIn } from '../../shared/store/test-notifications.ts';
import { onEachTable } from './both-stores.ts';
import { NOW } from './samples.ts';

const aTest = (id = 'one') => newTestNotification({ id, channels: ['team', 'pager'], by: 'Anna', at: NOW });

function contract(store: () => TestNotificationStore) {
  test('load returns a test notification with its outcomes', async () => {
    const outcomes = [
      { channel: 'team', kind: 'kept', reason: 'no secret "team" on this machine' } as const,
      { channel: 'pager', kind: 'refused', reason: 'look at its secret' } as const,
      { channel: 'bus', kind: 'sent' } as const,
    ];
    await store().save(aTest());
    await store().save({ ...aTest(), takenAt: NOW + 1, outcomes });
    expect(await store().load('one')).toEqual({ ...aTest(), takenAt: NOW + 1, outcomes });
    expect(await store().load('two')).toBeUndefined();
  });

  test('takePending gives each pending test to one caller only', async () => {
    await store().save(aTest('one'));
    await store().save(aTest('two'));
    const takers = await Promise.all([store().takePending(NOW + 5), store().takePending(NOW + 5)]);
    expect(
      takers
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['one', 'two']);
    expect(await store().load('one')).toEqual({ ...aTest(), takenAt: NOW + 5 });
    expect(await store().takePending(NOW + 6)).toEqual([]);
  });

  test('takePending skips expired tests', async () => {
    const { untilAt } = aTest();
    await store().save(aTest());
    expect(await store().takePending(untilAt)).toEqual([]);
    expect(await store().takePending(untilAt - 1)).toHaveLength(1);
  });
}

describe('TestNotificationStore', () => {
  onEachTable(testNotificationsIn, contract);
});
