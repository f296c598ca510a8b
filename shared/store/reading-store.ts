import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Snapshot, snapshotSchema } from '../readings/reading.ts';
import type { ReadingStore } from '../readings/snapshots.ts';
import { DAY_MS } from '../units/durations.ts';
import { pack, packed } from './item-packing.ts';
import { expiryAfter, type Item, type Key, type Table, tookPlace } from './table.ts';
import { parseItem, readable, readableBy, unreadableItem } from './unreadable-items.ts';

/** An item holds 400 KB, including keys and names. */
const PART_BYTES = 390_000;

const packedSnapshot = packed(snapshotSchema);
const partSchema = z.object({ sk: z.string(), body: z.instanceof(Uint8Array) });
const headSchema = partSchema.extend({ tailKeys: z.array(z.string()).default([]) });
/** Bytes of the hash of each event name of a snapshot: enough to skip most others without unpacking them. */
const NAME_BYTES = 4;
const areMarks = ({ length }: Uint8Array) => length % NAME_BYTES === 0;
const namesSchema = z.object({ names: z.instanceof(Uint8Array).refine(areMarks).exactOptional() });

/**
 * Stores snapshots as compressed JSON, one item each. A snapshot too large for an item has a tail of further items.
 * The head, which names its tail, is written last and only if there is none yet. A run that loses this race, or
 * crashes before, leaves a tail without a head, which expires. A snapshot that cannot be read is read from the service
 * again, and replaced.
 */
export function readingStoreIn(table: Table): ReadingStore {
  return {
    async load(family, { fromEndAt, throughEndAt }, eventNames) {
      const range = { from: isoTime(fromEndAt), through: `${isoTime(throughEndAt)}~` };
      const items = await table.query({ partition: partition(family), ...range, mayLag: true });
      const wanted = eventNames && new Set(eventNames.map((name) => nameMark(name).toString('hex')));
      const heads = items.filter(isHead);
      const bodies = bodiesIn(table, items);
      const snapshots = readableBy(table, heads, (head) =>
        !wanted || mayTellOf(head, wanted) ? snapshotOf(head, bodies) : undefined,
      );
      return snapshots
        .filter((snapshot) => snapshot !== undefined)
        .filter((snapshot) => tellsOf(snapshot, eventNames));
    },

    async save(snapshot) {
      const { head, tail } = itemsOf(snapshot);
      await table.putAll(tail);
      const isKept = await tookPlace(table.putNew(head));
      if (!isKept && !(await isReadable(table, head))) await table.put(head);
    },
  };
}

/** Whether the stored snapshot with the key of `head` can be read, including its tail. */
async function isReadable(table: Table, { pk, sk }: Item & Key): Promise<boolean> {
  const items = await table.query({ partition: pk, from: sk, through: `${sk}~` });
  const heads = items.filter((item) => item.sk === sk);
  const silent = { ...table, unreadable: () => {} };
  const bodies = bodiesIn(silent, items);
  return readableBy(silent, heads, (head) => snapshotOf(head, bodies)).some(
    (snapshot) => snapshot !== undefined,
  );
}

function bodiesIn(table: Table, items: Item[]): Map<string, Uint8Array> {
  const tails = items.filter((item) => !isHead(item));
  const parts = readable(table, partSchema, tails);
  return new Map(parts.map(({ sk, body }) => [sk, body]));
}

function itemsOf(snapshot: Snapshot): { head: Item & Key; tail: Item[] } {
  const bytes = pack(snapshotSchema, snapshot);
  const headKey = `${isoTime(snapshot.window.endAt)}#${questionDigest(snapshot)}`;
  const content = contentHash(bytes);
  const pk = partition(snapshot.family);
  const [head, ...tail] = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, i) => ({
    pk,
    sk: i === 0 ? headKey : `${headKey}#${content}#${i}`,
    body: bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
    expiresAt: expiryAfter(keepUntil(snapshot)),
  }));
  const names = snapshot.eventNames && { names: Buffer.concat(snapshot.eventNames.map(nameMark)) };
  return {
    head: {
      pk,
      sk: headKey,
      ...head,
      ...names,
      ...(tail.length > 0 && { tailKeys: tail.map(({ sk }) => sk) }),
    },
    tail,
  };
}

function nameMark(eventName: string): Buffer {
  return createHash('sha256').update(eventName).digest().subarray(0, NAME_BYTES);
}

/** Skips most snapshots without unpacking them: those of a thousand rules are a hundred times what a run needs. */
function mayTellOf(item: Item, marks: ReadonlySet<string>): boolean {
  const { names } = parseItem(namesSchema, item);
  if (!names) return true;
  const known = Buffer.from(names).toString('hex');
  for (let i = 0; i < known.length; i += 2 * NAME_BYTES)
    if (marks.has(known.slice(i, i + 2 * NAME_BYTES))) return true;
  return false;
}

function tellsOf(snapshot: Snapshot, wanted: string[] | undefined): boolean {
  return !wanted || !snapshot.eventNames || snapshot.eventNames.some((name) => wanted.includes(name));
}

function isHead(item: Item): boolean {
  return String(item.sk).split('#').length === 2;
}

/** A read may not see the tail yet. Such a snapshot counts as missing. */
function snapshotOf(item: Item, bodies: Map<string, Uint8Array>): Snapshot | undefined {
  const head = parseItem(headSchema, item);
  const tail = head.tailKeys.flatMap((key) => bodies.get(key) ?? []);
  if (tail.length < head.tailKeys.length) return undefined;
  const parsed = packedSnapshot.safeParse(Buffer.concat([head.body, ...tail]));
  if (parsed.success) return parsed.data;
  throw unreadableItem(item, parsed.error);
}

/** Covers the oldest window that may be caught up: ten weeks of hours, and over a year of longer windows. */
function keepUntil({ window, readAt }: Snapshot): number {
  const isHour = window.endAt - window.startAt < DAY_MS / 2;
  return Math.max(window.endAt + (isHour ? 74 : 420) * DAY_MS, readAt + DAY_MS);
}

function questionDigest({ window, rereadAt, eventNames, keys }: Snapshot): string {
  const question = [window.startAt, eventNames?.toSorted(), keys.toSorted()];
  return contentHash(JSON.stringify(rereadAt === undefined ? question : [...question, rereadAt]));
}

function contentHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

function partition(family: string): string {
  return `SNAPSHOTS#${family}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
