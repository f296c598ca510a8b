import * as z from 'zod';
import { moveSchema } from '../alerts/moves.ts';
import { appVersionsSchema } from '../alerts/new-versions.ts';
import { cadenceOfTick } from '../planning/plan.ts';
import { lastTickSchema, type RunStore } from '../planning/run-store.ts';
import { HOUR_MS } from '../units/durations.ts';
import {
  expiryAfter,
  itemsIn,
  type Key,
  putItem,
  queryItems,
  type Table,
  tookPlace,
  updateItem,
} from './dynamodb-table.ts';
import { pack, packed } from './item-packing.ts';
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
      await updateItem(table, {
        Key: tickKey(tick.id),
        UpdateExpression:
          'SET batches = if_not_exists(batches, :batches), scheduledAt = :scheduledAt, expiresAt = :expiresAt',
        ExpressionAttributeValues: {
          ':batches': tick.batches,
          ':scheduledAt': tick.scheduledAt,
          ':expiresAt': expiryAfter(table.clock.now(), KEEP_TICK_DAYS),
        },
      });
      const { id, scheduledAt } = tick;
      const cadence = cadenceOfTick(id);
      // Missed ticks may be caught up in any order.
      const advance = updateItem(table, {
        Key: { pk: LAST_TICKS, sk: cadence },
        UpdateExpression: 'SET tick = :tick, cadence = :cadence, scheduledAt = :at',
        ConditionExpression: 'attribute_not_exists(scheduledAt) OR scheduledAt < :at',
        ExpressionAttributeValues: { ':tick': id, ':cadence': cadence, ':at': scheduledAt },
      });
      await tookPlace(advance);
    },

    async loadLastTicks() {
      return readable(table, lastTickSchema, await itemsIn(table, LAST_TICKS));
    },

    async finishBatch(tick, batchId) {
      await updateItem(table, {
        Key: tickKey(tick),
        UpdateExpression: 'ADD finished :batch SET expiresAt = :expiresAt',
        ExpressionAttributeValues: {
          ':batch': new Set([batchId]),
          ':expiresAt': expiryAfter(table.clock.now(), KEEP_TICK_DAYS),
        },
      });
    },

    // Notifications of a tick that is not known to be complete are sent too, only later.
    async isTickComplete(id) {
      const tick = await loadReadable(table, tickSchema, tickKey(id));
      return tick?.batches?.every((batch) => tick.finished.has(batch)) ?? false;
    },

    async saveMoves(tick, batchId, moves) {
      const expiresAt = expiryAfter(table.clock.now(), KEEP_MOVES_DAYS);
      const Item = { pk: movesPartition(tick), sk: batchId, moves: pack(movesSchema, moves), expiresAt };
      await putItem(table, { Item });
    },

    async loadMoves(tick) {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': movesPartition(tick) },
      });
      return readable(table, movesItemSchema, items).flatMap(({ moves }) => moves);
    },

    // If the SDK repeats this update because its answer was lost, the lock counts as taken by another run until it expires.
    async takeLock(name, now, untilAt) {
      const take = updateItem(table, {
        Key: lockKey(name),
        UpdateExpression: 'SET untilAt = :untilAt',
        ConditionExpression: 'attribute_not_exists(untilAt) OR untilAt <= :now',
        ExpressionAttributeValues: { ':untilAt': untilAt, ':now': now },
      });
      return tookPlace(take);
    },

    async releaseLock(name, untilAt) {
      const release = updateItem(table, {
        Key: lockKey(name),
        UpdateExpression: 'REMOVE untilAt',
        ConditionExpression: 'untilAt = :untilAt',
        ExpressionAttributeValues: { ':untilAt': untilAt },
      });
      await tookPlace(release);
    },

    // If the SDK repeats this update because its answer was lost, the calls count twice: too few are made, never too many.
    async takeCalls(app, at, calls, perHour) {
      if (calls > perHour) return false;
      const take = updateItem(table, {
        Key: budgetKey(app, at),
        UpdateExpression: 'ADD taken :calls SET expiresAt = :expiresAt',
        ConditionExpression: 'attribute_not_exists(taken) OR taken <= :room',
        ExpressionAttributeValues: {
          ':calls': calls,
          ':room': perHour - calls,
          ':expiresAt': expiryAfter(at, KEEP_BUDGET_DAYS),
        },
      });
      return tookPlace(take);
    },

    async loadCalls(app, at) {
      return (await loadReadable(table, callsSchema, budgetKey(app, at)))?.taken ?? 0;
    },

    async loadNewestEventAt(app) {
      return (await loadReadable(table, newestEventSchema, appKey(app)))?.newestEventAt;
    },

    async saveNewestEventAt(app, at) {
      const advance = updateItem(table, {
        Key: appKey(app),
        UpdateExpression: 'SET newestEventAt = :at',
        ConditionExpression: 'attribute_not_exists(newestEventAt) OR newestEventAt < :at',
        ExpressionAttributeValues: { ':at': at },
      });
      await tookPlace(advance);
    },

    loadVersions: (app) => loadReadable(table, appVersionsSchema, versionsKey(app)),

    async saveVersions(app, versions, replacing) {
      const { askedAt, known } = versions;
      const replace = updateItem(table, {
        Key: versionsKey(app),
        UpdateExpression: 'SET askedAt = :askedAt, known = :known',
        ConditionExpression:
          replacing === undefined ? 'attribute_not_exists(askedAt)' : 'askedAt = :replacing',
        ExpressionAttributeValues: {
          ':askedAt': askedAt,
          ':known': known,
          ...(replacing !== undefined && { ':replacing': replacing }),
        },
      });
      return tookPlace(replace);
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
