import type { Clock } from '../runtime/clock.ts';
import { ConflictError, type UnreadableItemError } from '../runtime/errors.ts';
import type { INDEXES } from './table-schema.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** Its attributes by name: JSON values, or bytes or a set of texts. */
export type Item = Record<string, unknown>;

type Value = string | number | null;

/** What must hold for an attribute of the stored item. `orAbsent`: also without the attribute, or the item. */
export type Condition =
  | { attribute: string; equals: Value; orAbsent?: boolean }
  | { attribute: string; atMost: number; orAbsent?: boolean }
  | { attribute: string; is: 'absent' | 'present' };

/** A change of single attributes of an item, which is created if it is missing. */
export interface Change {
  set?: Item;
  setIfAbsent?: Item;
  /** Added to numbers; an absent one counts as 0. */
  add?: Record<string, number>;
  /** Added to sets. */
  include?: Record<string, string>;
}

/** The items of a partition in the order of their sort keys, with both ends of the range. */
export interface Query {
  partition: string;
  index?: (typeof INDEXES)[number];
  from?: string | number;
  through?: string | number;
  newestFirst?: true;
  /** The only attribute to read, besides the keys. */
  only?: string;
  atMost?: number;
  /** A read that may miss the last writes costs half. Reads of an index always may. */
  mayLag?: true;
}

/**
 * One table of items, in DynamoDB or in SQLite. A write is stored once it resolves, and of concurrent conditional writes
 * each sees the one before. No read returns an expired item.
 */
export interface Table {
  /** For messages. */
  name: string;
  clock: Clock;
  /** Called with each item that cannot be read, which is then skipped. Without it, such an item fails the read. */
  unreadable?: (error: UnreadableItemError) => void;
  get(key: Key): Promise<Item | undefined>;
  /** The existing items of these keys, in any order. */
  getAll(keys: Key[]): Promise<Item[]>;
  query(query: Query): Promise<Item[]>;
  /** Throws `ConflictError` if a condition does not hold. */
  put(item: Item, ...conditions: Condition[]): Promise<void>;
  /** Writes an item. Throws `ConflictError` if one with its key exists and has not expired. */
  putNew(item: Item): Promise<void>;
  /** Writes all items, one after another. A crash may leave only the first ones written. */
  putAll(items: Item[]): Promise<void>;
  /** Returns the attributes of `add` after the change. Throws `ConflictError` if a condition does not hold. */
  update(key: Key, change: Change, ...conditions: Condition[]): Promise<Item>;
}

/** Whether a conditional write took place, for writes whose condition may fail. */
export async function tookPlace(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}

/** The expiry attribute of an item that is kept for `days` after `at`. */
export function expiryAfter(at: number, days = 0): number {
  return Math.ceil(at / 1000) + days * 86_400;
}
