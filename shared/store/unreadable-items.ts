import type * as z from 'zod';
import { UnreadableItemError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Meter } from '../runtime/metrics.ts';
import type { Item, Key, Table } from './table.ts';

/** The number of faults in a message. More would only repeat the first ones. */
const SHOWN_FAULTS = 3;

/** The table, with unreadable items logged and counted in the metric of the alarm. */
export function reportingUnreadable(table: Table, logger: Logger, meter?: Meter): Table {
  return {
    ...table,
    unreadable({ item, message: reason }) {
      logger.error('an item of the table cannot be read', { item: `${item.pk} / ${item.sk}`, reason });
      meter?.count('ItemsUnreadable');
    },
  };
}

/** The item, parsed with `schema`. Throws `UnreadableItemError` if it does not fit. */
export function parseItem<T>(schema: z.ZodType<T>, item: Item): T {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw unreadableItem(item, parsed.error);
}

/** The item of a key that nothing can replace. If it cannot be read, reports it and throws. */
export async function loadSole<T>(table: Table, schema: z.ZodType<T>, key: Key): Promise<T | undefined> {
  const item = await table.get(key);
  return item && parseSole(table, schema, item);
}

/** Parses an item that nothing can replace. */
export function parseSole<T>(table: Table, schema: z.ZodType<T>, item: Item): T {
  try {
    return parseItem(schema, item);
  } catch (error) {
    if (error instanceof UnreadableItemError) table.unreadable?.(error);
    throw error;
  }
}

/** The item of a key. If it cannot be read, reports it and takes it for missing. */
export async function loadReadable<T>(table: Table, schema: z.ZodType<T>, key: Key): Promise<T | undefined> {
  const item = await table.get(key);
  return item && readable(table, schema, [item])[0];
}

/** Parses all items. Unreadable ones are reported and skipped. */
export function readable<T>(table: Table, schema: z.ZodType<T>, items: Item[]): T[] {
  return readableBy(table, items, (item) => parseItem(schema, item));
}

/** Parses all items with `parse`. Unreadable ones are reported and skipped. */
export function readableBy<T>(table: Table, items: Item[], parse: (item: Item) => T): T[] {
  return items.flatMap((item) => {
    try {
      return [parse(item)];
    } catch (error) {
      if (!(error instanceof UnreadableItemError) || !table.unreadable) throw error;
      table.unreadable(error);
      return [];
    }
  });
}

export function unreadableItem({ pk, sk }: Item, error: z.ZodError): UnreadableItemError {
  return new UnreadableItemError({ pk: String(pk), sk: String(sk) }, faultsIn(error), { cause: error });
}

/** The invalid fields, and what they should be. Without values, because they may be secret. */
export function faultsIn({ issues }: z.ZodError): string {
  const faults = issues.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${path.join('.')}: ${message}`);
  const more = issues.length > SHOWN_FAULTS ? [`${issues.length - SHOWN_FAULTS} more`] : [];
  return [...faults, ...more].join('; ');
}
