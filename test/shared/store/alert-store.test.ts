import { describe, expect, test } from 'vitest';
import { ConflictError } from '../../../shared/runtime/errors.ts';
import { alertItemKey, alertStoreIn } from '../../../shared/store/alert-store.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { aFiringAlert, aNotification, aQuietAlert, evaluated, NOW } from '../../contracts/samples.ts';
import { countUsage } from '../../fixtures/table-usage.ts';

describe('alertStoreIn', () => {
  const table = onEmptyTable();

  test('a quiet alert takes one write unit, even with all its recent windows', async () => {
    const usage = countUsage(table().client);
    const recent = evaluated(Array.from({ length: 48 }, (_, i) => (i % 5 === 3 ? 'held' : 'clear')));
    const lastWindows = recent.slice(-24).map(({ endAt }, i) => ({
      ...{ endAt, value: Number((41_234 * (1 + Math.sin(i * i) / 2)).toPrecision(5)) },
      verdict: i === 3 ? ('breached' as const) : ('clear' as const),
    }));
    await alertStoreIn(table()).save(aQuietAlert({ segment: 'checkout/payment', recent, lastWindows }));
    expect(usage.capacityUnits).toEqual({ PutItemCommand: 1 });
  });

  test('a firing alert with four pending notifications takes at most 4 KB', async () => {
    const usage = countUsage(table().client);
    const pending = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((channel) => [channel, aNotification({ channel })]),
    );
    await alertStoreIn(table()).save(aFiringAlert({ pending }));
    expect(usage.capacityUnits.PutItemCommand).toBeLessThanOrEqual(4);
  });

  test('load reads a hundred alerts per request', async () => {
    const alerts = Array.from({ length: 250 }, (_, i) => aQuietAlert({ ruleId: `rule-${i}` }));
    const store = alertStoreIn(table());
    await Promise.all(alerts.map((alert) => store.save(alert)));
    const usage = countUsage(table().client);
    await store.load(alerts);
    expect(usage.requests).toEqual({ BatchGetItemCommand: 3 });
  });

  test('load reads unprocessed keys of a large batch after a pause', async () => {
    const reason = { code: 'read-failed', error: 'x'.repeat(40_000) } as const;
    const alerts = Array.from({ length: 60 }, (_, i) =>
      aQuietAlert({
        ruleId: `rule-${i}`,
        health: { kind: 'inconclusive', since: 0, through: 0, reason, notified: true, wants: 'calls' },
      }),
    );
    const store = alertStoreIn(table());
    await Promise.all(alerts.map((alert) => store.save(alert)));
    const startAt = table().clock.now();
    expect(await store.load(alerts)).toHaveLength(60);
    expect(table().clock.now()).toBeGreaterThan(startAt);
  });

  test('the alert of a segment expires 420 days after its last save, and can then begin again', async () => {
    const store = alertStoreIn(table());
    const alert = aQuietAlert({ segment: '1.4.0' });
    await store.save(await store.save(alert));
    table().clock.advanceTo(NOW + 419 * DAY_MS);
    expect(await store.load([alert])).toMatchObject([{ revision: 2 }]);
    table().clock.advanceTo(NOW + 421 * DAY_MS);
    expect(await store.loadOfRule(alert.ruleId)).toEqual([]);
    await store.save(alert);
    expect(await store.load([alert])).toMatchObject([{ revision: 1 }]);
  });

  test.each([
    ['of a whole rule', aQuietAlert({ segment: null })],
    ['that fires', aFiringAlert({ segment: '1.4.0' })],
    [
      'with a pending notification',
      aQuietAlert({ segment: '1.4.0', pendingAt: NOW, pending: { a: aNotification() } }),
    ],
  ])('an alert does not expire: %s', async (_, alert) => {
    const store = alertStoreIn(table());
    await store.save(alert);
    table().clock.advanceTo(NOW + 4000 * DAY_MS);
    expect(await store.load([alert])).toHaveLength(1);
    await expect(store.save(alert)).rejects.toThrow(ConflictError);
  });

  test('only an alert with pending notifications has the index keys', async () => {
    const store = alertStoreIn(table());
    const withPending = await store.save(aFiringAlert());
    const keysOfIndex = async () => {
      const item = await table().get(alertItemKey(withPending));
      return Object.keys(item ?? {}).filter((name) => name.startsWith('pending'));
    };
    expect((await keysOfIndex()).sort()).toEqual(['pendingAt', 'pendingShard']);
    await store.save({ ...withPending, pending: {}, pendingAt: null });
    expect(await keysOfIndex()).toEqual([]);
  });

  test('alerts are spread over all shards', async () => {
    const store = alertStoreIn(table());
    const withPending = Array.from({ length: 60 }, (_, i) =>
      aFiringAlert({ segment: `s${i}`, pendingAt: i }),
    );
    for (const alert of withPending) await store.save(alert);
    const shards = new Set<unknown>();
    for (const alert of withPending) {
      const item = (await table().get(alertItemKey(alert))) ?? {};
      shards.add(`${item.pendingShard} ${item.openShard}`);
    }
    expect(shards.size).toBe(8);
    const segments = withPending.map(({ segment }) => segment);
    expect((await store.loadPending(60)).map(({ segment }) => segment)).toEqual(segments);
    expect((await store.loadOpen()).map(({ segment }) => segment).sort()).toEqual(segments.sort());
  });
});
