import * as z from 'zod';
import { cadenceOfTick } from '../alerting/plan.ts';
import type { LastTick, RunStore } from '../alerting/ports.ts';
import {
  getItem,
  type Key,
  parseItem,
  queryItems,
  type Table,
  tookPlace,
  updateItem,
} from './dynamodb-requests.ts';
import type { SchemaOf } from './schema-of.ts';

const HOUR_MS = 3_600_000;
const KEEP_TICK_DAYS = 7;
const KEEP_BUDGET_DAYS = 2;

/** The last tick of every cadence, one item each: there are few. */
const LAST_TICKS = 'LAST-TICKS';

/** Pieces may be finished before the tick is known to be planned, and the other way round. */
const tickSchema = z.object({
  pieces: z.array(z.string()).optional(),
  finished: z.set(z.string()).default(new Set()),
});
const lastTickSchema = z.object({
  cadence: z.string(),
  tick: z.string(),
  scheduledAt: z.number(),
}) satisfies SchemaOf<LastTick>;
const callsSchema = z.object({ taken: z.number() });
const newestEventSchema = z.object({ newestEventAt: z.number() });

/** Ticks, call budgets and the newest events, each one item that single updates move forward. */
export function dynamodbRunStore(table: Table): RunStore {
  return {
    async saveTick(tick) {
      await updateItem(table, {
        Key: tickKey(tick.id),
        UpdateExpression:
          'SET pieces = if_not_exists(pieces, :pieces), scheduledAt = :scheduledAt, expiresAt = :expiresAt',
        ExpressionAttributeValues: {
          ':pieces': tick.pieces,
          ':scheduledAt': tick.scheduledAt,
          ':expiresAt': daysAfter(table.clock.now(), KEEP_TICK_DAYS),
        },
      });
      const { id, scheduledAt } = tick;
      const cadence = cadenceOfTick(id);
      // Ticks that were missed may be made up for in any order.
      const advance = updateItem(table, {
        Key: { pk: LAST_TICKS, sk: cadence },
        UpdateExpression: 'SET tick = :tick, cadence = :cadence, scheduledAt = :at',
        ConditionExpression: 'attribute_not_exists(scheduledAt) OR scheduledAt < :at',
        ExpressionAttributeValues: { ':tick': id, ':cadence': cadence, ':at': scheduledAt },
      });
      await tookPlace(advance);
    },

    async loadLastTicks() {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': LAST_TICKS },
        ConsistentRead: true,
      });
      return items.map((item) => parseItem(lastTickSchema, item));
    },

    async finishPiece(tick, pieceId) {
      await updateItem(table, {
        Key: tickKey(tick),
        UpdateExpression: 'ADD finished :piece SET expiresAt = :expiresAt',
        ExpressionAttributeValues: {
          ':piece': new Set([pieceId]),
          ':expiresAt': daysAfter(table.clock.now(), KEEP_TICK_DAYS),
        },
      });
    },

    async isTickComplete(tick) {
      const item = await getItem(table, tickKey(tick));
      if (!item) return false;
      const { pieces, finished } = parseItem(tickSchema, item);
      return pieces?.every((piece) => finished.has(piece)) ?? false;
    },

    // Should the answer to this update get lost and the SDK repeat it, the turn counts as another's until it ends.
    async takeTurn(name, now, untilAt) {
      const take = updateItem(table, {
        Key: turnKey(name),
        UpdateExpression: 'SET untilAt = :untilAt',
        ConditionExpression: 'attribute_not_exists(untilAt) OR untilAt <= :now',
        ExpressionAttributeValues: { ':untilAt': untilAt, ':now': now },
      });
      return tookPlace(take);
    },

    async giveBackTurn(name, untilAt) {
      const giveBack = updateItem(table, {
        Key: turnKey(name),
        UpdateExpression: 'REMOVE untilAt',
        ConditionExpression: 'untilAt = :untilAt',
        ExpressionAttributeValues: { ':untilAt': untilAt },
      });
      await tookPlace(giveBack);
    },

    // Should the answer to this update get lost and the SDK repeat it, the calls are taken twice: too few, never too many.
    async takeCalls(app, at, calls, perHour) {
      if (calls > perHour) return false;
      const take = updateItem(table, {
        Key: budgetKey(app, at),
        UpdateExpression: 'ADD taken :calls SET expiresAt = :expiresAt',
        ConditionExpression: 'attribute_not_exists(taken) OR taken <= :room',
        ExpressionAttributeValues: {
          ':calls': calls,
          ':room': perHour - calls,
          ':expiresAt': daysAfter(at, KEEP_BUDGET_DAYS),
        },
      });
      return tookPlace(take);
    },

    async loadCalls(app, at) {
      const item = await getItem(table, budgetKey(app, at));
      return item ? parseItem(callsSchema, item).taken : 0;
    },

    async loadNewestEventAt(app) {
      const item = await getItem(table, appKey(app));
      return item && parseItem(newestEventSchema, item).newestEventAt;
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
  };
}

function tickKey(tick: string): Key {
  return { pk: `TICK#${tick}`, sk: 'TICK' };
}

function turnKey(name: string): Key {
  return { pk: 'TURNS', sk: name };
}

function budgetKey(app: string, at: number): Key {
  const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS).toISOString();
  return { pk: `APP#${app}`, sk: `CALLS#${hour}` };
}

function appKey(app: string): Key {
  return { pk: `APP#${app}`, sk: 'NEWEST-EVENT' };
}

function daysAfter(at: number, days: number): number {
  return Math.ceil(at / 1000) + days * 86_400;
}
