import { type SqlBool, sql } from 'kysely';
import type { Metric } from '../../../shared/contract/aggregations.ts';
import {
  ATTRIBUTES,
  type AttributeName,
  isAttributeName,
  type Resource,
} from '../../../shared/contract/attributes.ts';
import { isTimeBucket } from '../../../shared/contract/grouping.ts';
import { DIMENSION_SETS, type Dimension, HOURS, type HoursTable } from '../../../shared/contract/tables.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import {
  aliased,
  allOf,
  type Batch,
  column,
  db,
  firstColumns,
  portable,
  type Query,
} from '../engines/query.ts';
import { stepOf } from '../time/buckets.ts';
import { offsetPeriods, type Span } from '../time/calendar.ts';
import { columnOf, recordedAt, TABLE_OF } from './columns.ts';
import { inSpan, keyColumns, notEmpty, type Question, recordedIn, rowTests, utcDay } from './question.ts';

/** How a question is answered from the sums of hours. */
export interface HourlyPlan {
  readonly question: Question<Resource>;
  readonly table: HoursTable;
  readonly dimensions: readonly Dimension[];
  /** The whole hours that the sums answer. The rows answer the rest of the span. */
  readonly hours: Span;
}

const DIMENSIONS: Readonly<Partial<Record<AttributeName, Dimension>>> = {
  device_platform: 'platform',
  app_version: 'app_version',
  device_country: 'country',
};

/** Undefined if only the rows can answer the question. */
export function hourlyPlan(question: Question<Resource>): HourlyPlan | undefined {
  const { resource, span } = question;
  if (resource !== 'event' && resource !== 'session') return undefined;
  const dimensions = dimensionsOf(question);
  const hours = {
    from: Math.ceil(span.from / HOUR_MS) * HOUR_MS,
    to: Math.floor(span.to / HOUR_MS) * HOUR_MS,
  };
  if (dimensions === undefined || hours.from >= hours.to) return undefined;
  if (question.metrics.some((metric) => sumOf(metric) === undefined)) return undefined;
  const plan = { question, table: `${resource}_hours` as const, dimensions, hours };
  return canSplit(plan) ? plan : undefined;
}

/** The same plan, with the sums only up to `end`, the start of an hour. Undefined if only the rows can answer it. */
export function hoursUntil(plan: HourlyPlan, end: number): HourlyPlan | undefined {
  const shorter = { ...plan, hours: { from: plan.hours.from, to: end } };
  return end > plan.hours.from && canSplit(shorter) ? shorter : undefined;
}

/** New users of two spans cannot be added: the rows of a user may have two first sessions. */
const canSplit = (plan: HourlyPlan): boolean =>
  restOf(plan).length === 0 || !plan.question.metrics.some(isNewUsers);

const isNewUsers = (metric: Metric): boolean =>
  metric.kind === 'count' && metric.count === 'session_new_users_count';

/** The smallest set of dimensions with those that the question filters or groups by. */
function dimensionsOf({ resource, filters, groups, span, zone }: Question<Resource>) {
  const units = groups.flatMap(({ attribute }) => ATTRIBUTES[attribute].unit ?? []);
  if (units.length > 0 && (stepOf(units) < HOUR_MS || !startOnHours(span, zone))) return undefined;
  const plain = filters.filter((filter) => 'attribute' in filter);
  if (plain.length < filters.length) return undefined;
  const dimensions = [
    ...groups.filter((group) => !isTimeBucket(group)),
    ...plain.filter(({ attribute }) => ATTRIBUTES[attribute].type !== 'window'),
  ]
    .filter(({ attribute }) => resource !== 'event' || attribute !== 'event_name')
    .map(({ attribute }) => DIMENSIONS[attribute]);
  return DIMENSION_SETS.find((set) =>
    dimensions.every((dimension) => dimension !== undefined && set.includes(dimension)),
  );
}

/** Whether buckets of the zone start on UTC hours. In zones such as Asia/Kolkata they do not. */
const startOnHours = (span: Span, zone: string): boolean =>
  offsetPeriods(span, zone).every(
    ({ to, offset }) => offset % HOUR_MS === 0 && (to === span.to || to % HOUR_MS === 0),
  );

function restOf({ question: { span }, hours }: HourlyPlan): Span[] {
  const parts = [
    { from: span.from, to: hours.from },
    { from: hours.to, to: span.to },
  ];
  return parts.filter(({ from, to }) => from < to);
}

/** The metric over sums, whose columns have the names of those of the rows; undefined if it cannot be added. */
function sumOf(metric: Metric): Batch | undefined {
  if (metric.kind === 'count') return COUNTS[metric.count];
  const number = isAttributeName(metric.number) ? columnOf('session', metric.number) : undefined;
  if (number === undefined || metric.number === 'session_duration') return undefined;
  if (metric.operation === 'sum') return sql`sum(${number})`;
  if (metric.operation !== 'avg') return undefined;
  return sql`(${portable.asDouble(sql`sum(${number})`)} / ${portable.asDouble(sql`sum(${column('session_count')})`)})`;
}

const COUNTS: Readonly<Record<string, Batch>> = {
  event_count: sql`sum(${column('event_count')})`,
  session_count: sql`sum(${column('session_count')})`,
  session_new_users_count: sql`sum(${column('new_user_count')})`,
};

/**
 * The rows of the question, each with `inexact_from`: the first hour that the sums answer wrongly, because one of its
 * rows is not visible yet, or because its new users cannot be added. NULL if all rows are exact. A query without rows is
 * exact.
 */
export function hourlyQuery(plan: HourlyPlan): Query {
  const { question } = plan;
  const keys = keyColumns(question);
  const inexactFrom = sql<number | null>`min(${sql.ref('inexact_at')})`;
  const parts = [sumsIn(plan), ...restOf(plan).map((span) => rowsIn(plan, span))];
  return db
    .selectFrom(sql`(${sql.join(parts, sql` union all `)})`.as('counted'))
    .select([
      ...aliased(keys, 'g'),
      ...aliased(
        question.metrics.map((metric) => sumOf(metric) ?? sql`null`),
        'm',
      ),
      // Over all groups, because a limit may cut the group with the first hour.
      (keys.length > 0 ? sql<number | null>`min(${inexactFrom}) over ()` : inexactFrom).as('inexact_from'),
    ])
    .$if(keys.length > 0, (query) => query.groupBy(firstColumns(keys.length)))
    .having(notEmpty);
}

/** Earlier than any hour. */
const LONG_AGO = Number.MIN_SAFE_INTEGER;

function sumsIn({ question, table, dimensions, hours }: HourlyPlan): Query {
  const { resource, filters, now } = question;
  const repeated = sql`when ${column('new_user_count')} is null then ${LONG_AGO}`;
  const late = sql`when ${column('uploaded_at')} > ${now} then ${recordedAt}`;
  const inexactAt = sql<number | null>`case
    ${question.metrics.some(isNewUsers) ? repeated : sql``} ${late} end`;
  return db
    .selectFrom(table)
    .select([...columnsOf(question, table).map((name) => sql.ref(name).as(name)), inexactAt.as('inexact_at')])
    .where(
      allOf([
        sql<SqlBool>`${column('dimensions')} = ${dimensions.join(',')}`,
        ...recordedIn(hours),
        ...rowTests(resource, filters, question),
      ]),
    );
}

/** The rows of a span, each as the sums over itself. */
function rowsIn({ question, table }: HourlyPlan, span: Span): Query {
  const { resource, filters, now } = question;
  return db
    .selectFrom(TABLE_OF[resource])
    .select([
      ...columnsOf(question, table).map((name) =>
        (name === COUNT_OF_ROWS[table] ? sql`1` : sql.ref(name)).as(name),
      ),
      sql<number | null>`cast(null as bigint)`.as('inexact_at'),
    ])
    .where(allOf([inSpan({ span, now }), ...rowTests(resource, filters, question)]));
}

const COUNT_OF_ROWS: Readonly<Record<HoursTable, string>> = {
  event_hours: 'event_count',
  session_hours: 'session_count',
};

/** The columns that both the sums and the rows have. New users are only read if the sums answer alone. */
const columnsOf = ({ metrics }: Question<Resource>, table: HoursTable): string[] =>
  Object.keys(HOURS[table]).filter(
    (name) =>
      name !== 'uploaded_at' &&
      name !== 'dimensions' &&
      (name !== 'new_user_count' || metrics.some(isNewUsers)),
  );

/**
 * The number of UTC days with sums, of those that the plan reads: `n`. A lake has days without them while they are
 * published, as rows are written first, or if another program writes only rows.
 */
export const countDays = ({ table, hours }: HourlyPlan): Query =>
  db
    .selectFrom(table)
    .select(sql<number>`count(distinct ${portable.quotient(recordedAt, DAY_MS)})`.as('n'))
    .where(allOf([sql<SqlBool>`${column('dimensions')} = ''`, ...recordedIn(wholeDays(hours))]));

const wholeDays = ({ from, to }: Span): Span => ({
  from: Math.floor(from / DAY_MS) * DAY_MS,
  to: Math.ceil(to / DAY_MS) * DAY_MS,
});

/** The number of UTC days that the plan reads. */
export function daysOf({ hours }: HourlyPlan): number {
  const { from, to } = wholeDays(hours);
  return (to - from) / DAY_MS;
}

/** The table and the UTC days that the plan reads, as a name. */
export function nameOfDays({ table, hours }: HourlyPlan): string {
  const { from, to } = wholeDays(hours);
  return `${table} ${utcDay(from)} ${utcDay(to)}`;
}
