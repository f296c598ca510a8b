import type { WindowReading } from '../../shared/readings/reading.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import { type Bucketing, Buckets, type Row } from './buckets.ts';
import { type EvaluatedWindow, SeriesEvaluate } from './series-evaluator.ts';

/** How to evaluate a series. */
export interface Plan {
  rule: FigureRule;
  bucketing: Bucketing;
  /** Incidents, excluded from baselines. */
  incidents: Window[];
  /** Whether the last window is complete although no row follows it. */
  isComplete: boolean;
}

/** An evaluated window, or the last one, which may be incomplete. */
export type Outcome = ({ kind: 'evaluated' } & EvaluatedWindow) | { kind: 'open'; window: Window };

/** Evaluates every window of the rows in order. None uses a row after the first one past its end. */
export async function* evaluateSeries(rows: AsyncIterable<Row>, plan: Plan): AsyncGenerator<Outcome> {
  const { rule, bucketing, incidents, isComplete } = plan;
  const buckets = new Buckets(bucketing);
  const evaluate = new SeriesEvaluate(rule, { week: bucketing.cut.week, incidents });
  const evaluated = (reading: WindowReading, newestDataAt: number) =>
    ({ kind: 'evaluated', ...evaluate.evaluate(reading, newestDataAt) }) as const;
  for await (const row of rows) for (const reading of buckets.push(row)) yield evaluated(reading, row.at);
  const rest = buckets.rest();
  if (rest) yield isComplete ? evaluated(rest, rest.window.endAt) : { kind: 'open', window: rest.window };
}
