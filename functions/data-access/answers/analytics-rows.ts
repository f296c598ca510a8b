import { sql } from 'kysely';
import { ATTRIBUTES, type Resource } from '../../../shared/contract/attributes.ts';
import {
  DEFAULT_MAX_GROUP_NUMBER,
  isTimeBucket,
  MAX_ROWS,
  OTHERS,
} from '../../../shared/contract/grouping.ts';
import type { AnalyticsRow } from '../../../shared/contract/responses.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import type { Engine, Row, RunQuery } from '../engines/engine.ts';
import { portable, type Query } from '../engines/query.ts';
import {
  countDays,
  daysOf,
  type HourlyPlan,
  hourlyPlan,
  hourlyQuery,
  hoursUntil,
  nameOfDays,
} from '../queries/hours.ts';
import type { Question, ToQuery } from '../queries/question.ts';
import { stepOf, type Tick, ticks } from '../time/buckets.ts';
import { offsetPeriods, type Span } from '../time/calendar.ts';
import { answerRows, type PeriodAnswer, tooManyRows } from './result-rows.ts';

/**
 * The rows of an analytics request, with empty buckets, `others` and, if given, the comparison with `previous`.
 * @throws RequestError INVALID_GROUP_BY for more than 10,000 rows.
 */
export async function analyticsRows<R extends Resource>(
  source: Source<R>,
  question: Question<R>,
  previous?: Span,
): Promise<AnalyticsRow[]> {
  const spans = [question.span, ...(previous ? [previous] : [])];
  const axes = spans.map((span) => axisOf(question, span));
  const rowsFor = (asked: Question<R>) => ask(source, asked, (query) => upTo(MAX_ROWS + 1, query));
  const read = (asked: Question<R>) => Promise.all(spans.map((span) => rowsFor({ ...asked, span })));
  let rows = await read(question);
  const kept = await keptKeys(source, { question, spans, rows });
  const asked = { ...question, kept };
  if (kept.some((keys) => keys !== undefined)) rows = await read(asked);
  if (rows.some((part) => part.length > MAX_ROWS)) {
    throw tooManyRows((await countGroups(source, asked)) * (axes[0]?.length ?? 1));
  }
  const answers = rows.map((part, at): PeriodAnswer => ({ rows: part, axis: axes[at] ?? [] }));
  return answerRows(question, answers);
}

function axisOf({ groups, zone }: Question<Resource>, span: Span): readonly Tick[] {
  const units = groups.flatMap(({ attribute }) => ATTRIBUTES[attribute].unit ?? []);
  const step = stepOf(units);
  // Building the hours of a century to count them would take too long.
  if (step < DAY_MS && span.to - span.from > MAX_ROWS * step) {
    throw tooManyRows(Math.ceil((span.to - span.from) / step));
  }
  const axis = ticks(units, units.length > 0 ? offsetPeriods(span, zone) : []);
  if (axis.length > MAX_ROWS) throw tooManyRows(axis.length);
  return axis;
}

interface Folding<R extends Resource> {
  readonly question: Question<R>;
  readonly spans: readonly Span[];
  /** The rows of each span without `others`, cut after the maximum. */
  readonly rows: readonly (readonly Row[])[];
}

/** For each group, the keys to keep; undefined if there are no more than its maximum. */
function keptKeys<R extends Resource>(source: Source<R>, folding: Folding<R>) {
  const { groups } = folding.question;
  const cut = folding.rows.some((part) => part.length > MAX_ROWS);
  return Promise.all(
    groups.map(async (group, index) => {
      if (isTimeBucket(group)) return undefined;
      const maximum = group.max_group_number ?? DEFAULT_MAX_GROUP_NUMBER;
      const keys = new Set(folding.rows.flat().map((row) => row[`g${index}`]));
      return cut || keys.size > maximum ? topKeys(source, folding, index, maximum) : undefined;
    }),
  );
}

/** The largest groups by the first metric: of the current span first, then of the previous one. */
async function topKeys<R extends Resource>(
  source: Source<R>,
  { question, spans }: Folding<R>,
  index: number,
  maximum: number,
): Promise<(string | null)[]> {
  const groups = question.groups.slice(index, index + 1);
  const metrics = question.metrics.slice(0, 1);
  const ranked = await Promise.all(
    spans.map((span) =>
      ask(source, { ...question, groups, metrics, span }, (query) => topGroups(maximum, query)),
    ),
  );
  const keys = new Set(ranked.flat().map(({ g0 = null }) => (g0 === null ? null : String(g0))));
  return [...keys].slice(0, maximum);
}

async function countGroups<R extends Resource>(
  { runQuery, toQuery }: Source<R>,
  question: Question<R>,
): Promise<number> {
  const apart = question.groups.map((group) => !isTimeBucket(group));
  const groups = question.groups.filter((_, at) => apart[at]);
  const kept = (question.kept ?? []).filter((_, at) => apart[at]);
  const [row] = await runQuery(rowCount(toQuery({ ...question, groups, kept })));
  return Number(row?.n);
}

interface Source<R extends Resource> {
  readonly runQuery: RunQuery;
  readonly toQuery: ToQuery<R>;
  readonly hours: Engine['hours'];
}

/** Changes a query, for example to return at most some rows. It must keep all columns. */
type Shape = (query: Query) => Query;

/**
 * The rows of a question, from the sums of hours where they give exactly the figures of the rows. Sums that contain rows
 * of a later upload show it, so the question is asked again from their first hour on.
 */
async function ask<R extends Resource>(
  { runQuery, toQuery, hours }: Source<R>,
  question: Question<R>,
  shape: Shape,
): Promise<readonly Row[]> {
  const fromRows = () => runQuery(shape(toQuery(question)));
  const plan = hours && hourlyPlan(question);
  if (!plan) return fromRows();
  const without = hours === 'all days' ? undefined : hours;
  if (without?.has(nameOfDays(plan))) return fromRows();
  const [rows, hasDays] = await Promise.all([
    runQuery(shape(hourlyQuery(plan))),
    without ? hasAllDays(runQuery, plan) : true,
  ]);
  if (!hasDays) {
    without?.add(nameOfDays(plan));
    return fromRows();
  }
  const from = rows[0]?.inexact_from ?? null;
  if (from === null) return rows;
  const shorter = hoursUntil(plan, Number(from));
  return shorter ? runQuery(shape(hourlyQuery(shorter))) : fromRows();
}

async function hasAllDays(runQuery: RunQuery, plan: HourlyPlan): Promise<boolean> {
  const [row] = await runQuery(countDays(plan));
  return Number(row?.n) === daysOf(plan);
}

const upTo = (limit: number, query: Query): Query => sql`select * from ${query} as answer limit ${limit}`;

/** The largest groups of the first attribute, by the first metric. */
const topGroups = (maximum: number, query: Query): Query =>
  sql`select * from ${query} as ranked where (g0 is null or g0 <> ${OTHERS})
    order by m0 desc nulls last, ${portable.byCharacter(sql.ref('g0'))} asc nulls last limit ${maximum}`;

/** The number of rows of a query: `n`. */
const rowCount = (query: Query): Query => sql`select count(*) as n from ${query} as counted`;
