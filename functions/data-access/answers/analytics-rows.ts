import { ATTRIBUTES, type Resource } from '../../../shared/analytics/attributes.ts';
import { DEFAULT_MAX_GROUP_NUMBER, isTimeBucket, MAX_ROWS } from '../../../shared/analytics/grouping.ts';
import type { AnalyticsRow } from '../../../shared/analytics/responses.ts';
import type { Ask, Row } from '../engines/engine.ts';
import { rowCount, topGroups, upTo } from '../queries/folding.ts';
import type { Question, ToQuery } from '../queries/question.ts';
import { type Tick, ticks } from '../time/buckets.ts';
import { HOUR, offsetPeriods, type Span } from '../time/calendar.ts';
import { answerRows, type PeriodAnswer, tooManyRows } from './result-rows.ts';

/**
 * Answers a question, compared with the span `previous` where one is given: rows filled, folded and in order.
 * @throws RequestError INVALID_GROUP_BY when the answer has more than 10,000 rows.
 */
export async function analyticsRows<R extends Resource>(
  ask: Ask,
  question: Question<R>,
  toQuery: ToQuery<R>,
  previous?: Span,
): Promise<AnalyticsRow[]> {
  const spans = [question.span, ...(previous ? [previous] : [])];
  const axes = spans.map((span) => axisOf(question, span));
  const read = (asked: Question<R>) =>
    Promise.all(spans.map((span) => ask(upTo(MAX_ROWS + 1, toQuery({ ...asked, span })))));
  let rows = await read(question);
  const kept = await keptKeys(ask, { question, toQuery, spans, rows });
  const asked = { ...question, kept };
  if (kept.some((keys) => keys !== undefined)) rows = await read(asked);
  if (rows.some((part) => part.length > MAX_ROWS)) {
    throw tooManyRows((await countGroups(ask, asked, toQuery)) * (axes[0]?.length ?? 1));
  }
  const answers = rows.map((part, at): PeriodAnswer => ({ rows: part, axis: axes[at] ?? [] }));
  return answerRows(question, answers);
}

function axisOf({ groups, zone }: Question<Resource>, span: Span): readonly Tick[] {
  const units = groups.flatMap(({ attribute }) => ATTRIBUTES[attribute].unit ?? []);
  // Hours over centuries would be millions of steps before they could be counted one by one.
  if (units.includes('hour') && span.to - span.from > MAX_ROWS * HOUR) {
    throw tooManyRows(Math.ceil((span.to - span.from) / HOUR));
  }
  const axis = ticks(units, units.length > 0 ? offsetPeriods(span, zone) : []);
  if (axis.length > MAX_ROWS) throw tooManyRows(axis.length);
  return axis;
}

interface Folding<R extends Resource> {
  readonly question: Question<R>;
  readonly toQuery: ToQuery<R>;
  readonly spans: readonly Span[];
  /** The answer for each span with nothing folded; one past the limit has been cut. */
  readonly rows: readonly (readonly Row[])[];
}

/** By group, the keys to keep apart: only where there are more than the group's maximum. */
function keptKeys<R extends Resource>(ask: Ask, folding: Folding<R>) {
  const { groups } = folding.question;
  const cut = folding.rows.some((part) => part.length > MAX_ROWS);
  return Promise.all(
    groups.map(async (group, index) => {
      if (isTimeBucket(group)) return undefined;
      const maximum = group.max_group_number ?? DEFAULT_MAX_GROUP_NUMBER;
      const keys = new Set(folding.rows.flat().map((row) => row[`g${index}`]));
      return cut || keys.size > maximum ? topKeys(ask, folding, index, maximum) : undefined;
    }),
  );
}

/** The largest groups by the first metric: of the current span first, then of the previous one. */
async function topKeys<R extends Resource>(
  ask: Ask,
  { question, toQuery, spans }: Folding<R>,
  index: number,
  maximum: number,
): Promise<(string | null)[]> {
  const groups = question.groups.slice(index, index + 1);
  const metrics = question.metrics.slice(0, 1);
  const ranked = await Promise.all(
    spans.map((span) => ask(topGroups(maximum, toQuery({ ...question, groups, metrics, span })))),
  );
  const keys = new Set(ranked.flat().map(({ g0 = null }) => (g0 === null ? null : String(g0))));
  return [...keys].slice(0, maximum);
}

async function countGroups<R extends Resource>(
  ask: Ask,
  question: Question<R>,
  toQuery: ToQuery<R>,
): Promise<number> {
  const apart = question.groups.map((group) => !isTimeBucket(group));
  const groups = question.groups.filter((_, at) => apart[at]);
  const kept = (question.kept ?? []).filter((_, at) => apart[at]);
  const [row] = await ask(rowCount(toQuery({ ...question, groups, kept })));
  return Number(row?.n);
}
