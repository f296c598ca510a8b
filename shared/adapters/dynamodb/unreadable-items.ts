import type * as z from 'zod';
import { UnreadableItemError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Meter } from '../../runtime/metrics.ts';
import type { Item, Table } from './requests.ts';

/** More only repeats what the first ones say. */
const SHOWN_FAULTS = 3;

/** The table, with each item that cannot be read in the log and in the metric that raises the alarm. */
export function reportingUnreadable(table: Table, logger: Logger, meter?: Meter): Table {
  return {
    ...table,
    unreadable({ item, message: reason }) {
      logger.error('an item of the table cannot be read', { item: `${item.pk} / ${item.sk}`, reason });
      meter?.count('ItemsUnreadable');
    },
  };
}

/** The item in the form that `schema` gives it. Throws `UnreadableItemError` for an item of another form. */
export function parseItem<T>(schema: z.ZodType<T>, item: Item): T {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw unreadableItem(item, parsed.error);
}

/** The one item that answers a question. It is reported too where it cannot be read, and nothing stands in for it. */
export function parseSole<T>(table: Table, schema: z.ZodType<T>, item: Item): T {
  try {
    return parseItem(schema, item);
  } catch (error) {
    if (error instanceof UnreadableItemError) table.unreadable?.(error);
    throw error;
  }
}

/** What `parse` makes of the items. Those that it cannot read are reported, and keep none of the others from being read. */
export function readable<T>(table: Table, items: Item[], parse: (item: Item) => T): T[] {
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

/** What is wrong with the item: which fields, and what they should be. Values are left out, for they may be secret. */
export function unreadableItem({ pk, sk }: Item, error: z.ZodError): UnreadableItemError {
  const { issues } = error;
  const faults = issues.slice(0, SHOWN_FAULTS).map(({ path, message }) => `${path.join('.')}: ${message}`);
  const more = issues.length > SHOWN_FAULTS ? [`${issues.length - SHOWN_FAULTS} more`] : [];
  const item = { pk: String(pk), sk: String(sk) };
  return new UnreadableItemError(item, [...faults, ...more].join('; '), { cause: error });
}
