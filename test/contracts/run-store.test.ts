import { describe, expect, test } from 'vitest';
import { tickId } from '../../shared/planning/plan.ts';
import type { RunStore } from '../../shared/planning/run-store.ts';
import { runStoreIn } from '../../shared/store/run-store.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { onEachTable } from './both-stores.ts';
import { NOW } from './samples.ts';

const tick = { id: 'hourly-at-10@2026-03-02T12:10:00.000Z', scheduledAt: NOW, batches: ['shop-0', 'shop-1'] };

function runStoreContract(store: () => RunStore) {
  test('a tick is complete when all of its batches are finished', async () => {
    await store().saveTick(tick);
    for (const batch of ['shop-0', 'shop-0', 'unknown']) await store().finishBatch(tick.id, batch);
    expect(await store().isTickComplete(tick.id)).toBe(false);
    await store().finishBatch(tick.id, 'shop-1');
    expect(await store().isTickComplete(tick.id)).toBe(true);
  });

  test('saveTick of a saved tick keeps finished batches', async () => {
    await store().saveTick(tick);
    await store().finishBatch(tick.id, 'shop-0');
    await store().saveTick(tick);
    await store().finishBatch(tick.id, 'shop-1');
    expect(await store().isTickComplete(tick.id)).toBe(true);
  });

  test('finishBatch is accepted before saveTick', async () => {
    for (const batch of tick.batches) await store().finishBatch(tick.id, batch);
    expect(await store().isTickComplete(tick.id)).toBe(false);
    await store().saveTick(tick);
    expect(await store().isTickComplete(tick.id)).toBe(true);
  });

  test('concurrent finishBatch calls are all counted', async () => {
    const batches = Array.from({ length: 40 }, (_, i) => `shop-${i}`);
    await store().saveTick({ ...tick, batches });
    await Promise.all([...batches, ...batches].map((batch) => store().finishBatch(tick.id, batch)));
    expect(await store().isTickComplete(tick.id)).toBe(true);
  });

  test('a tick without batches is complete, an unknown tick is not', async () => {
    await store().saveTick({ ...tick, batches: [] });
    expect(await store().isTickComplete(tick.id)).toBe(true);
    expect(await store().isTickComplete('unknown')).toBe(false);
  });

  test('loadLastTicks returns the latest tick of each cadence', async () => {
    expect(await store().loadLastTicks()).toEqual([]);
    const at = (cadence: string, scheduledAt: number) => ({
      id: tickId(cadence, scheduledAt),
      scheduledAt,
      batches: [],
    });
    for (const planned of [at('hourly@10', NOW), at('hourly@10', NOW - HOUR_MS), at('daily', NOW - HOUR_MS)])
      await store().saveTick(planned);
    expect((await store().loadLastTicks()).toSorted((a, b) => b.scheduledAt - a.scheduledAt)).toEqual([
      { cadence: 'hourly@10', tick: tickId('hourly@10', NOW), scheduledAt: NOW },
      { cadence: 'daily', tick: tickId('daily', NOW - HOUR_MS), scheduledAt: NOW - HOUR_MS },
    ]);
  });

  test('loadMoves returns what the batches of a tick saved last', async () => {
    const move = {
      ...{ ruleId: 'orders', segment: null, window: { startAt: NOW - HOUR_MS, endAt: NOW } },
      ...{ value: 0.1 + 0.2, baseline: 1e-200, change: null, band: { expected: 1, low: null, high: 2 } },
    };
    const other = { ...move, segment: 'Malta', change: -0.5, band: null };
    expect(await store().loadMoves(tick.id)).toEqual([]);
    for (const moves of [[other], [move]]) await store().saveMoves(tick.id, 'shop-0', moves);
    await store().saveMoves(tick.id, 'shop-1', [other]);
    await store().saveMoves('daily@2026-03-02T12:10:00.000Z', 'shop-0', [other]);
    expect((await store().loadMoves(tick.id)).toSorted((a) => (a.segment ? 1 : -1))).toEqual([move, other]);
  });

  test('loadCalls returns the calls of an app and hour', async () => {
    expect(await store().loadCalls('shop', NOW)).toBe(0);
    await store().takeCalls('shop', NOW, 7, 10);
    await store().takeCalls('shop', NOW, 7, 10);
    await store().takeCalls('shop', NOW + HOUR_MS, 2, 10);
    expect(await store().loadCalls('shop', NOW + 1)).toBe(7);
    expect(await store().loadCalls('blog', NOW)).toBe(0);
  });

  test('takeCalls stops at the budget of each app and hour', async () => {
    const take = (app: string, at: number, calls: number) => store().takeCalls(app, at, calls, 10);
    expect(await take('shop', NOW, 7)).toBe(true);
    expect(await take('shop', NOW, 4)).toBe(false);
    expect(await take('shop', NOW, 3)).toBe(true);
    expect(await take('shop', NOW, 1)).toBe(false);
    expect(await take('blog', NOW, 10)).toBe(true);
    expect(await take('shop', NOW + HOUR_MS, 11)).toBe(false);
    expect(await take('shop', NOW + HOUR_MS, 10)).toBe(true);
  });

  test('takeLock gives a turn to one caller until it is given back', async () => {
    expect(await store().takeLock('notify', NOW, NOW + HOUR_MS)).toBe(true);
    expect(await store().takeLock('notify', NOW + 1, NOW + HOUR_MS + 1)).toBe(false);
    expect(await store().takeLock('other', NOW + 1, NOW + HOUR_MS + 1)).toBe(true);
    await store().releaseLock('notify', NOW + HOUR_MS);
    expect(await store().takeLock('notify', NOW + 2, NOW + HOUR_MS + 2)).toBe(true);
  });

  test('takeLock succeeds after an expired turn, which releaseLock does not end', async () => {
    await store().takeLock('notify', NOW, NOW + HOUR_MS);
    expect(await store().takeLock('notify', NOW + HOUR_MS - 1, NOW + 2 * HOUR_MS - 1)).toBe(false);
    expect(await store().takeLock('notify', NOW + HOUR_MS, NOW + 2 * HOUR_MS)).toBe(true);
    await store().releaseLock('notify', NOW + HOUR_MS);
    expect(await store().takeLock('notify', NOW + HOUR_MS + 1, NOW + 3 * HOUR_MS)).toBe(false);
  });

  test('takeLock gives a turn to one of many concurrent callers', async () => {
    const takes = Array.from({ length: 10 }, (_, i) => store().takeLock('notify', NOW, NOW + HOUR_MS + i));
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(1);
  });

  test('takeCalls counts by clock hours', async () => {
    const hour = Math.floor(NOW / HOUR_MS) * HOUR_MS;
    expect(await store().takeCalls('shop', hour, 1, 1)).toBe(true);
    expect(await store().takeCalls('shop', hour + HOUR_MS - 1, 1, 1)).toBe(false);
    expect(await store().takeCalls('shop', hour + HOUR_MS, 1, 1)).toBe(true);
  });

  test('takeCalls keeps the budget with concurrent callers', async () => {
    const takes = Array.from({ length: 30 }, () => store().takeCalls('shop', NOW, 3, 25));
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(8);
  });

  test('saveNewestEventAt keeps the latest time', async () => {
    expect(await store().loadNewestEventAt('shop')).toBeUndefined();
    for (const at of [NOW, NOW + 5, NOW + 1]) await store().saveNewestEventAt('shop', at);
    expect(await store().loadNewestEventAt('shop')).toBe(NOW + 5);
    expect(await store().loadNewestEventAt('blog')).toBeUndefined();
  });

  test('saveVersions replaces only the versions that the caller has loaded', async () => {
    const [first, next] = [
      { askedAt: NOW, known: null },
      { askedAt: NOW + 5, known: ['ios, 7.22', 'web, “3”'] },
    ];
    expect(await store().loadVersions('shop')).toBeUndefined();
    expect(await store().saveVersions('shop', next, NOW)).toBe(false);
    expect(await store().saveVersions('shop', first, undefined)).toBe(true);
    expect(await store().saveVersions('shop', next, undefined)).toBe(false);
    expect(await store().loadVersions('shop')).toEqual(first);
    expect(await store().saveVersions('shop', next, NOW)).toBe(true);
    expect(await store().saveVersions('shop', first, NOW)).toBe(false);
    expect(await store().loadVersions('shop')).toEqual(next);
    expect(await store().loadVersions('blog')).toBeUndefined();
  });

  test('saveVersions succeeds for one of many concurrent callers', async () => {
    const saves = Array.from({ length: 10 }, (_, i) =>
      store().saveVersions('shop', { askedAt: NOW + i, known: [] }, undefined),
    );
    expect((await Promise.all(saves)).filter(Boolean)).toHaveLength(1);
  });
}

describe('RunStore', () => {
  onEachTable(runStoreIn, runStoreContract);
});
