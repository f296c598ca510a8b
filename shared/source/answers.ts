import { createHash } from 'node:crypto';
import * as z from 'zod';
import { aggregationKey, groupKey, OTHERS } from '../contract/grouping.ts';
import { stepKey } from '../contract/journeys.ts';
import { type CatalogueEntry, catalogueEntrySchema } from '../contract/records.ts';
import { LEGACY_PAGE_SIZE } from '../contract/requests.ts';
import { previousKey } from '../contract/responses.ts';
import type { Figures, RangeQuestion, ReadingRow, Subject } from '../readings/reading.ts';
import { UpstreamError } from '../runtime/errors.ts';
import { EMPTY_TEXT, NO_VALUE, segmentName } from '../text/segment-name.ts';
import { itemsByWindow } from './buckets.ts';
import { isGroupedByEvent } from './calls.ts';
import { QuestionRefusedError } from './refusals.ts';

type Item = Record<string, unknown>;

/** One page of any answer. Hosted services write an empty list as `{}` and leave the block out. */
const pageSchema = z.object({
  success: z.boolean().default(true),
  data: z.union([z.array(z.record(z.string(), z.unknown())), z.strictObject({}).transform((): Item[] => [])]),
  pagination: z.object({ next: z.number().nullish() }).nullish(),
});

/**
 * The items of a page of at most `size`, and whether more may follow. `total` and the order of items are not reliable,
 * and the last page may point to an empty one. Throws `UpstreamError` if the response has another form.
 */
export function pageOf(
  json: unknown,
  size: number = LEGACY_PAGE_SIZE.max,
): { items: Item[]; isLast: boolean } {
  const page = pageSchema.safeParse(json);
  if (!page.success) throw unusable('the response has no list "data"');
  if (!page.data.success) throw unusable('the response has "success": false');
  const { data: items, pagination } = page.data;
  const next = pagination?.next;
  const isLast = items.length === 0 || next === null || (next === undefined && items.length < size);
  return { items, isLast };
}

/** A row with the figures of the requested window and, if the service compared, of the window before it. */
export type AnsweredRow = ReadingRow & { current: Figures };

const groupValueSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const figureSchema = z.number().nullable();

/**
 * The rows among `items` that `question` asked for. Rows of other event names are left out. The row `others`, into
 * which the service folds further segments, is marked `isRest`. Throws `UpstreamError` if a field is missing, a figure
 * is not a number or a group has two rows.
 */
export function rowsOf(items: readonly Item[], question: Subject): AnsweredRow[] {
  const { eventNames } = question;
  const rows = items
    .flatMap((item) => itemsByStep(item, question))
    .map((item) => rowOf(item, question))
    .filter(({ eventName }) => eventName === undefined || (eventNames?.includes(eventName) ?? true));
  const seen = new Set<string>();
  for (const row of rows) {
    const key = keyOf(row);
    if (seen.has(key)) throw unusable(`it returned two rows for the group ${key}`);
    seen.add(key);
  }
  return rows;
}

/** Of a funnel, an item for the users of each step, as of events. */
function itemsByStep(item: Item, { funnel, aggregations: [users] }: Subject): Item[] {
  if (!funnel || !users) return [item];
  return funnel.steps.map((event_name, at) => ({
    ...item,
    ...{ event_name, [aggregationKey(users)]: fieldOf(item, stepKey(at + 1)) },
  }));
}

function rowOf(item: Item, question: Subject): AnsweredRow {
  const { eventNames, segmentBy, thenBy, groupBy, aggregations } = question;
  const first = segmentBy && groupValue(item, groupKey(segmentBy));
  const second = thenBy && groupValue(item, groupKey(thenBy));
  const segment = first !== undefined && second !== undefined ? segmentName([first, second]) : first;
  const eventName = isGroupedByEvent(question)
    ? groupValue(item, 'event_name')
    : eventNames && (eventNames.length === 1 ? eventNames[0] : first);
  const keys = aggregations.map(aggregationKey);
  const isCompared = keys.every((key) => Object.hasOwn(item, previousKey(key)));
  // Requested names are never folded, so an event may be called "others".
  const isNamed = eventNames !== undefined && segmentBy?.attribute === 'event_name';
  const isRest = (first === OTHERS && !isNamed) || second === OTHERS;
  const groups = groupBy?.map((group) => groupValue(item, groupKey(group)));
  return {
    ...(isRest && { isRest }),
    ...(eventName !== undefined && { eventName }),
    ...(segment !== undefined && { segment }),
    ...(groups && { groups: groups.map((group) => (group === OTHERS ? null : group)) }),
    current: figuresOf(item, keys, (key) => key),
    ...(isCompared && { previous: figuresOf(item, keys, previousKey) }),
  };
}

function groupValue(item: Item, field: string): string {
  const value = groupValueSchema.safeParse(fieldOf(item, field));
  if (!value.success) throw unusable(`"${field}" of a row is not a group value`);
  if (value.data === null) return NO_VALUE;
  return boundedText(String(value.data)) || EMPTY_TEXT;
}

function figuresOf(item: Item, keys: readonly string[], fieldFor: (key: string) => string): Figures {
  return Object.fromEntries(
    keys.map((key) => {
      // A service may leave out an unknown metric instead of refusing it.
      if (!Object.hasOwn(item, fieldFor(key)))
        throw new QuestionRefusedError(
          `unexpected response of the data access service: ${without(item, key)}`,
        );
      const figure = figureSchema.safeParse(item[fieldFor(key)]);
      if (!figure.success) throw unusable(`"${fieldFor(key)}" of a row is not a number`);
      return [key, figure.data];
    }),
  );
}

function fieldOf(item: Item, field: string): unknown {
  if (Object.hasOwn(item, field)) return item[field];
  throw unusable(without(item, field));
}

function without(item: Item, field: string): string {
  return `a row has no "${field}"; its fields are ${Object.keys(item).slice(0, 12).join(', ') || 'none'}`;
}

/** Whether the rows have the figures of both windows. Without rows that is unknown. */
export function areCompared(rows: readonly AnsweredRow[]): boolean {
  return rows.length > 0 && rows.every(({ previous }) => previous !== undefined);
}

/**
 * The rows of each window of a range, without empty ones: if the service fills buckets, every group has a row in each.
 * In windows with folded groups empty rows stay, because a missing row would mean that the group may be folded. Throws
 * `UpstreamError` as `rowsOf` does, and if the buckets are not the windows.
 */
export function rowsOfRange(items: readonly Item[], question: RangeQuestion): ReadingRow[][] {
  const parts = itemsByWindow(items, question);
  if (!parts) throw unusable('its time buckets are not the requested windows');
  return parts.map((part) => {
    const rows = rowsOf(part, question);
    const isFolded = rows.some((row) => row.isRest && hasFigures(row));
    return rows.filter((row) => isFolded || hasFigures(row)).map(({ previous: _, ...row }) => row);
  });
}

function hasFigures({ current }: AnsweredRow): boolean {
  return Object.values(current).some((figure) => figure !== null && figure !== 0);
}

/** Joins the rows of both windows, which were read separately. */
export function joinRows(current: readonly AnsweredRow[], previous: readonly AnsweredRow[]): ReadingRow[] {
  const joined = new Map<string, ReadingRow>();
  for (const { previous: _, ...row } of current) joined.set(keyOf(row), row);
  for (const { current: figures, previous: _, ...group } of previous)
    joined.set(keyOf(group), { ...group, ...joined.get(keyOf(group)), previous: figures });
  return [...joined.values()];
}

const eventSchema = z.object({ eventDate: z.iso.datetime({ offset: true }) });

/** The time of the newest of the listed events; `null` if there are no events. */
export function newestEventIn(items: readonly Item[]): number | null {
  const times = items.map((item) => {
    const event = eventSchema.safeParse(item);
    if (!event.success) throw unusable('"eventDate" of an event is not a timestamp');
    return Date.parse(event.data.eventDate);
  });
  return times.length > 0 ? Math.max(...times) : null;
}

/** The entries of a catalogue of events. Throws `UpstreamError`. */
export function catalogueIn(items: readonly Item[]): CatalogueEntry[] {
  const entries = z.array(catalogueEntrySchema).safeParse(items);
  if (!entries.success) throw unusable('an entry of the catalogue has another form');
  return entries.data;
}

function keyOf({ eventName, segment, groups }: Pick<ReadingRow, 'eventName' | 'segment' | 'groups'>): string {
  return JSON.stringify([eventName ?? null, segment ?? null, ...(groups ?? [])]);
}

function unusable(what: string): UpstreamError {
  return new UpstreamError(`unexpected response of the data access service: ${what}`, { retryable: false });
}

/** UTF-16 code units. */
const MOST = 300;
const KEPT = 200;

/**
 * The text, cut to at most 300 characters. A cut text says so, with a hash that keeps texts with the same start
 * distinct. Stores, pages and messages have no room for values of any length.
 */
export function boundedText(text: string): string {
  if (text.length <= MOST) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${text.slice(0, KEPT).toWellFormed()}… (cut, ${hash})`;
}
