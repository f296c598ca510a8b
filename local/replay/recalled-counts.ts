import { sql } from 'kysely';
import type { App, Apps, Recall } from '../../functions/data-access/apps/apps.ts';
import type { Cell, Engine } from '../../functions/data-access/engines/engine.ts';
import {
  aliased,
  allOf,
  column,
  db,
  firstColumns,
  type Query,
} from '../../functions/data-access/engines/query.ts';
import { bucketColumn, columnOf, TABLE_OF } from '../../functions/data-access/queries/columns.ts';
import { upTo } from '../../functions/data-access/queries/folding.ts';
import { inSpan, keyColumns, type Question, rowTests } from '../../functions/data-access/queries/question.ts';
import type { Span } from '../../functions/data-access/time/calendar.ts';
import { ATTRIBUTES, type Resource } from '../../shared/contract/attributes.ts';
import type { Millis } from '../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';

/** Rows that were recorded in the same hour, have the same keys, and are visible from the same time on. */
interface Count {
  /** The keys as JSON. */
  readonly keys: string;
  readonly visibleAt: Millis;
  readonly rows: number;
}

/** By the start of their hour. */
type Counts = ReadonlyMap<Millis, readonly Count[]>;

/** By the start of the part. */
type Parts = Map<Millis, Promise<Counts | undefined>>;

/** Counts are read for this long at once. */
const PART_MS = 32 * DAY_MS;
/** The longest span to recall: its counts stay in memory. */
const MOST_MS = 370 * DAY_MS;
/** A part with more counts is not kept. Most counts are those of rows that were uploaded after their hour. */
const MOST_COUNTS = 200_000;
/** Reading the counts for a question leaves time within the limit of its request. */
const READ_MS = 5_000;
/** A question is asked once for a driver, but at every run for a rule. */
const FIRST_RECALLED = 3;

/**
 * The same apps for a clock that passes through the past. A replay repeats its questions every hour, and each answer
 * depends on the uploads until then. So the rows are counted once by hour, keys and the time from which they are visible;
 * the answer to a repeated question is a sum of these counts. It recalls counts of events and sessions in whole hours
 * that have ended. All other questions go to the engine. The data must not be replaced meanwhile.
 */
export function recallingCounts(apps: Apps): Apps {
  const subjects = new Map<string, { asked: number; parts: Parts }>();
  const recallIn =
    (appId: string, { engine }: App): Recall =>
    async (question) => {
      if (!isRecallable(question)) return undefined;
      const name = JSON.stringify([appId, subjectOf(question)]);
      const subject = subjects.get(name) ?? { asked: 0, parts: new Map() };
      subjects.set(name, subject);
      subject.asked += 1;
      if (subject.asked < FIRST_RECALLED) return undefined;
      const counts = await countsOf(question, subject.parts, engine);
      return counts && sumsOf(question, counts);
    };
  return {
    ...apps,
    withApp: (request, use) =>
      apps.withApp(request, (app) => use({ ...app, recall: recallIn(request.appId, app) })),
  };
}

/** What the counts of a question depend on, apart from its span. */
const subjectOf = ({ resource, filters, groups, zone }: Question<Resource>) => [
  resource,
  filters.filter((filter) => !isWindow(filter)),
  groups,
  zone,
];

/**
 * Hours that have not ended are left to the engine: in all others, rows that were uploaded within their hour are visible,
 * so that they need only one count.
 */
function isRecallable({ resource, metrics, filters, kept, span, now }: Question<Resource>): boolean {
  return (
    (resource === 'event' || resource === 'session') &&
    metrics.every(({ key }) => key === 'event_count' || key === 'session_count') &&
    filters.every((filter) => isOfRow(resource, filter)) &&
    !kept?.some((keys) => keys !== undefined) &&
    span.from % HOUR_MS === 0 &&
    span.to % HOUR_MS === 0 &&
    span.to <= now &&
    span.to - span.from <= MOST_MS
  );
}

type Filter = Question<Resource>['filters'][number];

const isWindow = ({ attribute }: Filter): boolean => ATTRIBUTES[attribute].type === 'window';

/** A filter on the events of a session depends on their uploads too. */
const isOfRow = (resource: Resource, filter: Filter): boolean =>
  isWindow(filter) ||
  ATTRIBUTES[filter.attribute].type === 'bucket' ||
  columnOf(resource, filter.attribute) !== undefined;

function partsOf({ from, to }: Span): Span[] {
  const parts: Span[] = [];
  for (let at = Math.floor(from / PART_MS) * PART_MS; at < to; at += PART_MS)
    parts.push({ from: at, to: at + PART_MS });
  return parts;
}

/** The counts of each part of the span. Undefined if a part is not known. */
async function countsOf(question: Question<Resource>, parts: Parts, engine: Engine) {
  const limit = AbortSignal.timeout(READ_MS);
  const counted: Counts[] = [];
  for (const span of partsOf(question.span)) {
    const part = parts.get(span.from) ?? countsIn({ ...question, span }, engine, limit);
    parts.set(span.from, part);
    const counts = await part;
    if (!counts) return undefined;
    counted.push(counts);
  }
  return counted;
}

/** Undefined if there are too many, or if they cannot be read; the engine then answers each question alone. */
async function countsIn(question: Question<Resource>, engine: Engine, limit: AbortSignal) {
  const query = upTo(MOST_COUNTS + 1, countsQuery(question));
  const found = await engine.answer(query, limit).catch(() => undefined);
  if (!found || found.rows.length > MOST_COUNTS) return undefined;
  const counts = new Map<Millis, Count[]>();
  for (const { hour, visible_at, n, ...keys } of found.rows) {
    const count = {
      keys: JSON.stringify(Object.values(keys)),
      visibleAt: Number(visible_at),
      rows: Number(n),
    };
    const ofHour = counts.get(Number(hour));
    if (ofHour) ofHour.push(count);
    else counts.set(Number(hour), [count]);
  }
  return counts;
}

function countsQuery(question: Question<Resource>): Query {
  const { resource, filters, span } = question;
  const all = { ...question, now: Number.MAX_SAFE_INTEGER };
  const keys = keyColumns(all);
  const hour = bucketColumn('hour', [{ ...span, offset: 0 }]);
  const [uploadedAt, hourEnd] = [column('uploaded_at'), sql`(${hour} + ${HOUR_MS})`];
  return db
    .selectFrom(TABLE_OF[resource])
    .select([
      ...aliased(keys, 'g'),
      sql<number>`${hour}`.as('hour'),
      sql<number>`case when ${uploadedAt} > ${hourEnd} then ${uploadedAt} else ${hourEnd} end`.as(
        'visible_at',
      ),
      sql<number>`count(*)`.as('n'),
    ])
    .where(allOf([inSpan(all), ...rowTests(resource, filters, all)]))
    .groupBy(firstColumns(keys.length + 2));
}

function sumsOf({ span, now, metrics }: Question<Resource>, counted: readonly Counts[]) {
  const sums = new Map<string, number>();
  for (const counts of counted)
    for (let hour = span.from; hour < span.to; hour += HOUR_MS)
      for (const { keys, visibleAt, rows } of counts.get(hour) ?? [])
        if (visibleAt <= now) sums.set(keys, (sums.get(keys) ?? 0) + rows);
  return [...sums].map(([keys, sum]) =>
    Object.fromEntries([
      ...(JSON.parse(keys) as Cell[]).map((key, at) => [`g${at}`, key] as const),
      ...metrics.map((_, at) => [`m${at}`, sum] as const),
    ]),
  );
}
