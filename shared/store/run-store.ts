import * as z from 'zod';
import { moveSchema } from '../alerts/moves.ts';
import { appVersionsSchema } from '../alerts/new-versions.ts';
import { cadenceOfTick } from '../planning/plan.ts';
import { lastTickSchema, type RunStore } from '../planning/run-store.ts';
import { HOUR_MS } from '../units/durations.ts';
import { pack, packed } from './item-packing.ts';
import { type Change, type Condition, expiryAfter, type Key, type Table, tookPlace } from './table.ts';
import { loadReadable, readable } from './unreadable-items.ts';

const KEEP_TICK_DAYS = 7;
const KEEP_BUDGET_DAYS = 2;
const KEEP_MOVES_DAYS = 2;

/** The last tick of each cadence, one item each: there are few. */
const LAST_TICKS = 'LAST-TICKS';

/** Batches may be finished before the tick is stored as planned, or after. */
const tickSchema = z.object({
  batches: z.array(z.string()).optional(),
  finished: z.set(z.string()).default(new Set()),
});
const movesSchema = z.array(moveSchema);
const movesItemSchema = z.object({ moves: packed(movesSchema) });
const callsSchema = z.object({ taken: z.number() });
const newestEventSchema = z.object({ newestEventAt: z.number() });

/** Stores ticks, call budgets, newest events and versions, each as one item that single updates change. */
export function runStoreIn(table: Table): RunStore {
  return {
    async saveTick(tick) {
      const { id, scheduledAt, batches } = tick;
      const expiresAt = expiryAfter(table.clock.now(), KEEP_TICK_DAYS);
      await table.update(tickKey(id), { setIfAbsent: { batches }, set: { scheduledAt, expiresAt } });
      const cadence = cadenceOfTick(id);
      // Missed ticks may be caught up in any order.
      const advance = table.update(
        { pk: LAST_TICKS, sk: cadence },
        { set: { tick: id, cadence, scheduledAt } },
        { attribute: 'scheduledAt', atMost: scheduledAt - 1, orAbsent: true },
      );
      await tookPlace(advance);
    },

    async loadLastTicks() {
      return readable(table, lastTickSchema, await table.query({ partition: LAST_TICKS }));
    },

    async finishBatch(tick, batchId) {
      const expiresAt = expiryAfter(table.clock.now(), KEEP_TICK_DAYS);
      await table.update(tickKey(tick), { include: { finished: batchId }, set: { expiresAt } });
    },

    // Notifications of a tick that is not known to be complete are sent too, only later.
    async isTickComplete(id) {
      const tick = await loadReadable(table, tickSchema, tickKey(id));
      return tick?.batches?.every((batch) => tick.finished.has(batch)) ?? false;
    },

    async saveMoves(tick, batchId, moves) {
      const expiresAt = expiryAfter(table.clock.now(), KEEP_MOVES_DAYS);
      const key = { pk: movesPartition(tick), sk: batchId };
      await table.put({ ...key, moves: pack(movesSchema, moves), expiresAt });
    },

    async loadMoves(tick) {
      const items = await table.query({ partition: movesPartition(tick), mayLag: true });
      return readable(table, movesItemSchema, items).flatMap(({ moves }) => moves);
    },

    // If the SDK repeats this update because its answer was lost, the lock counts as taken by another run until it expires.
    async takeLock(name, now, untilAt) {
      const isFree: Condition = { attribute: 'untilAt', atMost: now, orAbsent: true };
      return tookPlace(table.update(lockKey(name), { set: { untilAt } }, isFree));
    },

    async releaseLock(name, untilAt) {
      const isMine: Condition = { attribute: 'untilAt', equals: untilAt };
      await tookPlace(table.update(lockKey(name), { set: { untilAt: 0 } }, isMine));
    },

    // If the SDK repeats this update because its answer was lost, the calls count twice: too few are made, never too many.
    async takeCalls(app, at, calls, perHour) {
      if (calls > perHour) return false;
      const change: Change = {
        add: { taken: calls },
        set: { expiresAt: expiryAfter(at, KEEP_BUDGET_DAYS) },
      };
      const hasRoom: Condition = { attribute: 'taken', atMost: perHour - calls, orAbsent: true };
      return tookPlace(table.update(budgetKey(app, at), change, hasRoom));
    },

    async loadCalls(app, at) {
      return (await loadReadable(table, callsSchema, budgetKey(app, at)))?.taken ?? 0;
    },

    async loadNewestEventAt(app) {
      return (await loadReadable(table, newestEventSchema, appKey(app)))?.newestEventAt;
    },

    async saveNewestEventAt(app, at) {
      const isNewer: Condition = { attribute: 'newestEventAt', atMost: at - 1, orAbsent: true };
      await tookPlace(table.update(appKey(app), { set: { newestEventAt: at } }, isNewer));
    },

    loadVersions: (app) => loadReadable(table, appVersionsSchema, versionsKey(app)),

    async saveVersions(app, versions, replacing) {
      const { askedAt, known } = versions;
      const isLoaded: Condition =
        replacing === undefined
          ? { attribute: 'askedAt', is: 'absent' }
          : { attribute: 'askedAt', equals: replacing };
      return tookPlace(table.update(versionsKey(app), { set: { askedAt, known } }, isLoaded));
    },
  };
}

function tickKey(tick: string): Key {
  return { pk: `TICK#${tick}`, sk: 'TICK' };
}

/** Not in the partition of the tick, which notify reads often. */
function movesPartition(tick: string): string {
  return `MOVES#${tick}`;
}

function lockKey(name: string): Key {
  return { pk: 'LOCKS', sk: name };
}

function budgetKey(app: string, at: number): Key {
  const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString();
  return { pk: `APP#${app}`, sk: `CALLS#${hour}` };
}

function appKey(app: string): Key {
  return { pk: `APP#${app}`, sk: 'NEWEST-EVENT' };
}

function versionsKey(app: string): Key {
  return { pk: `APP#${app}`, sk: 'VERSIONS' };
}
