import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Alert, type AlertKey, alertSchema } from '../alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../alerts/alert-store.ts';
import { isAtRest, openAlert, openAlertSchema } from '../alerts/open-alert.ts';
import {
  hasListedIncident,
  LISTED_DAYS,
  pastIncidents,
  pastIncidentsSchema,
} from '../alerts/past-incidents.ts';
import { ConflictError, UnreadableItemError } from '../runtime/errors.ts';
import { DAY_MS } from '../units/durations.ts';
import { pack, packed } from './item-packing.ts';
import type { Item, Key, Query, Table } from './table.ts';
import { ENDED_SHARDS, OPEN_SHARDS, PENDING_SHARDS, TABLE } from './table-schema.ts';
import { parseItem, readableBy } from './unreadable-items.ts';

/** Windows with the distance to the end of the one before as their end: equal distances compress well. */
const stepped = <W extends { endAt: number }>(windowsSchema: z.ZodType<W[], W[]>) =>
  z.codec(windowsSchema, windowsSchema, {
    decode(steps) {
      let endAt = 0;
      return steps.map((each) => {
        endAt += each.endAt;
        return { ...each, endAt };
      });
    },
    encode: (windows) =>
      windows.map((each, i) => ({ ...each, endAt: each.endAt - (windows[i - 1]?.endAt ?? 0) })),
  });

/** An alert as it is packed: a normal one fits into one write unit (1 KB). */
const packedAlertSchema = alertSchema.extend({
  recent: stepped(alertSchema.shape.recent),
  lastWindows: stepped(alertSchema.shape.lastWindows),
});
const alertItemSchema = z.object({ alert: packed(packedAlertSchema) });
/** The parts of an item that the index of open alerts is read for, so that lists unpack no alert. */
const openItemSchema = z.object({ open: openAlertSchema });
const incidentsItemSchema = z.object({ past: pastIncidentsSchema });

/** From the last evaluation of a segment. As long as readings of days, so no baseline needs its incidents any more. */
const KEEP_SECONDS = 420 * 86_400;

/** Stores alerts, one item per rule and segment. Segments that no longer occur, such as old versions, expire. */
export function alertStoreIn(table: Table): AlertStore {
  return {
    async load(keys, unreadable) {
      return alertsIn(await table.getAll(keys.map(alertItemKey)), unreadable);
    },

    async loadOfRule(ruleId, unreadable) {
      return alertsIn(await table.query({ partition: alertPartition(ruleId) }), unreadable);
    },

    async save(alert) {
      const saved = { ...alert, revision: alert.revision + 1 };
      const now = Math.floor(table.clock.now() / 1000);
      const item = { ...alertItem(saved), ...(mayExpire(saved) && { expiresAt: now + KEEP_SECONDS }) };
      const put =
        alert.revision === 0
          ? table.putNew(item)
          : table.put(item, { attribute: 'revision', equals: alert.revision });
      await put.catch((error) => explainConflict(alert, error));
      return saved;
    },

    // The index lags behind the table: an alert read here may be outdated, and saving it then conflicts.
    async loadPending(dueAt) {
      const found = await ofShards(PENDING_SHARDS, { index: TABLE.pendingIndex, through: dueAt });
      return alertsIn(found).toSorted((a, b) => (a.pendingAt ?? 0) - (b.pendingAt ?? 0));
    },

    async loadOpen(unreadable) {
      const found = await ofShards(OPEN_SHARDS, { index: TABLE.openIndex, only: 'open' });
      return parsed(openItemSchema, found, unreadable).map(({ open }) => open);
    },

    // A segment that is gone keeps its place in the index until it expires, so its end is compared too.
    async loadIncidents(unreadable) {
      const sinceAt = table.clock.now() - (LISTED_DAYS + 1) * DAY_MS;
      const past = { index: TABLE.openIndex, only: 'past' };
      const found = await Promise.all([
        ofShards(OPEN_SHARDS, past),
        ofShards(ENDED_SHARDS, { ...past, from: sinceAt }),
      ]);
      return parsed(incidentsItemSchema, found.flat(), unreadable).map(({ past }) => past);
    },
  };

  async function ofShards(shards: string[], query: Omit<Query, 'partition'>): Promise<Item[]> {
    const found = await Promise.all(shards.map((partition) => table.query({ ...query, partition })));
    return found.flat();
  }

  function alertsIn(items: Item[], unreadable?: (alert: UnreadableAlert) => void): Alert[] {
    return parsed(alertItemSchema, items, unreadable).map(({ alert }) => alert);
  }

  function parsed<T>(
    schema: z.ZodType<T>,
    items: Item[],
    unreadable?: (alert: UnreadableAlert) => void,
  ): T[] {
    return readableBy(table, items, (item) => {
      try {
        return parseItem(schema, item);
      } catch (error) {
        if (error instanceof UnreadableItemError) unreadable?.(alertBehind(error));
        throw error;
      }
    });
  }

  /** A conflict with an unreadable item cannot be solved by reading it again. */
  async function explainConflict(key: AlertKey, error: unknown): Promise<never> {
    const stored = error instanceof ConflictError ? await table.get(alertItemKey(key)) : undefined;
    if (stored) parseItem(alertItemSchema, stored);
    throw error;
  }
}

/** The alert of a whole rule stays, because it says which windows were evaluated. */
function mayExpire(alert: Alert): boolean {
  return alert.segment !== null && alert.pendingAt === null && isAtRest(alert);
}

function alertBehind({ item, message }: UnreadableItemError): UnreadableAlert {
  return { ...alertKeyOf(item), reason: message };
}

function alertItem(alert: Alert): Item & Key {
  const { revision, pendingAt, stateSinceAt } = alert;
  const isOpen = !isAtRest(alert);
  const isListed = isOpen || hasListedIncident(alert);
  return {
    ...alertItemKey(alert),
    revision,
    alert: pack(packedAlertSchema, alert),
    ...(pendingAt !== null && { pendingAt, pendingShard: shardOf(alert, PENDING_SHARDS) }),
    ...(isListed && { openShard: shardOf(alert, isOpen ? OPEN_SHARDS : ENDED_SHARDS), stateSinceAt }),
    ...(isOpen && { open: openAlert(alert) }),
    ...(isListed && { past: pastIncidents(alert) }),
  };
}

/** The shard of an alert, which never changes. */
function shardOf(alert: Alert, shards: readonly string[]): string | undefined {
  const { pk, sk } = alertItemKey(alert);
  return shards[(createHash('sha256').update(pk).update(sk).digest()[0] ?? 0) % shards.length];
}

function alertPartition(ruleId: string): string {
  return `ALERT#${ruleId}`;
}

export function alertItemKey({ ruleId, segment }: AlertKey): Key {
  return { pk: alertPartition(ruleId), sk: segment === null ? 'RULE' : `SEGMENT#${bounded(segment)}` };
}

/** The alert of an item key. For a segment too long for a key, its shortened name. */
function alertKeyOf({ pk, sk }: Key): AlertKey {
  const segment = sk === 'RULE' ? null : sk.slice('SEGMENT#'.length);
  return { ruleId: pk.slice(alertPartition('').length), segment };
}

/** A sort key holds 1024 bytes, but a segment can be any text. */
const MAX_SEGMENT_BYTES = 900;

function bounded(segment: string): string {
  if (Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES) return segment;
  return `sha256#${createHash('sha256').update(segment).digest('hex')}`;
}
