import type { Resource } from '../../../shared/contract/attributes.ts';
import type { Recall } from '../apps/apps.ts';
import type { Engine, Row, RunQuery } from '../engines/engine.ts';
import type { Query } from '../engines/query.ts';
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

/** What answers questions about a resource. */
export interface Source<R extends Resource> {
  readonly runQuery: RunQuery;
  /** The query on the rows. */
  readonly toQuery: ToQuery<R>;
  readonly hours: Engine['hours'];
  readonly recall?: Recall | undefined;
}

/** Changes a query, for example to return at most some rows. It must keep all columns. */
type Shape = (query: Query) => Query;

/**
 * The rows of a question, from the sums of hours where they give exactly the figures of the rows. Sums that contain rows
 * of a later upload show it, so the question is asked again from their first hour on.
 */
export async function ask<R extends Resource>(
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
