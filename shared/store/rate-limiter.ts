import * as z from 'zod';
import { allowanceOf, type Counted, type RateLimiter, windowStart } from '../access/rate-limit.ts';
import { ConflictError } from '../runtime/errors.ts';
import { HOUR_MS, SECOND_MS } from '../units/durations.ts';
import type { Key, Table } from './table.ts';
import { loadSole, parseSole } from './unreadable-items.ts';

const KEEP_SECONDS = 3600;

const countSchema = z.object({ taken: z.number() });

interface Window {
  readonly key: Key;
  readonly most: number;
  readonly endsAt: number;
}

/**
 * Counters that processes share: two conditional writes per request, first for the second, then for the hour. A request
 * that the hour refuses still counts in its second, which does not matter: that hour accepts nothing more.
 */
export function rateLimiterIn(table: Table): RateLimiter {
  return {
    async admit(counted, limit, now) {
      const second = windowOf(counted, limit.perSecond, SECOND_MS, now);
      const hour = windowOf(counted, limit.perHour, HOUR_MS, now);
      const ofSecond = await take(table, second);
      const ofHour = ofSecond === undefined ? undefined : await take(table, hour);
      if (ofSecond !== undefined && ofHour !== undefined)
        return allowanceOf(true, { second: ofSecond, hour: ofHour }, limit, now);
      const taken = { second: ofSecond ?? limit.perSecond, hour: await countOf(table, hour) };
      return allowanceOf(false, taken, limit, now);
    },
  };
}

function windowOf({ keyId, appId }: Counted, most: number, lengthMs: number, now: number): Window {
  const start = windowStart(now, lengthMs);
  const sk = `${lengthMs === HOUR_MS ? 'HOUR' : 'SECOND'}#${new Date(start).toISOString()}`;
  const pk = appId === undefined ? `LIMIT#${keyId}` : `LIMIT#${keyId}#${appId}`;
  return { key: { pk, sk }, most, endsAt: start + lengthMs };
}

/**
 * The count with this request; undefined if the limit is reached. If the SDK repeats a write whose answer was lost, the
 * request counts twice: too few requests are accepted, never too many.
 */
async function take(table: Table, { key, most, endsAt }: Window): Promise<number | undefined> {
  try {
    const item = await table.update(
      key,
      { add: { taken: 1 }, set: { expiresAt: endsAt / 1000 + KEEP_SECONDS } },
      { attribute: 'taken', atMost: most - 1, orAbsent: true },
    );
    return parseSole(table, countSchema, item).taken;
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
}

async function countOf(table: Table, { key }: Window): Promise<number> {
  return (await loadSole(table, countSchema, key))?.taken ?? 0;
}
