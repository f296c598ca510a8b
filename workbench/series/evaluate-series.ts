import type { WindowReading } from '../../shared/readings/reading.ts';
import { buildFigureRule, type FigureRule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import { Buckets, type Gaps, type Row } from './buckets.ts';
import { type EvaluatedWindow, SeriesEvaluator } from './series-evaluator.ts';

/** How to evaluate a series. */
export interface SeriesPlan {
  rule: FigureRule;
  /** The value of a window without rows; by default, a sum of no rows is zero. */
  gaps?: Gaps;
  /** Whether the last window is complete although no row follows it; by default, it may be partial. */
  isComplete?: boolean;
}

/** An evaluated window, or the last one, which may be incomplete. */
export type Outcome = ({ kind: 'evaluated' } & EvaluatedWindow) | { kind: 'open'; window: Window };

/** Evaluates every window of the rows in order. None uses a row after the first one past its end. */
export async function* evaluateSeries(
  rows: Iterable<Row> | AsyncIterable<Row>,
  plan: SeriesPlan,
): AsyncGenerator<Outcome> {
  const { rule, gaps = 'zero', isComplete = false } = plan;
  const buckets = new Buckets(rule, gaps);
  const evaluator = new SeriesEvaluator(rule);
  const evaluated = (reading: WindowReading, newestDataAt: number) =>
    ({ kind: 'evaluated', ...evaluator.evaluate(reading, newestDataAt) }) as const;
  for await (const row of rows) for (const reading of buckets.push(row)) yield evaluated(reading, row.at);
  const rest = buckets.rest();
  if (rest) yield isComplete ? evaluated(rest, rest.window.endAt) : { kind: 'open', window: rest.window };
}

const EVERY = { hour: 'hour', day: 'day at 00:00', week: 'monday at 00:00' };

/** The rule of a series that comes without one. */
export interface DefaultRule {
  window: keyof typeof EVERY;
  zone: string;
  /** Whether the rows of a window are averaged instead of added up. */
  isMean: boolean;
}

/** `anomaly: true` alone. Weeks have no season: they compare with the week before, a significant change above 10%. */
export function defaultRule({ window, zone, isMean }: DefaultRule): FigureRule {
  return buildFigureRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'series', title: 'The series', app: 'series', owner: 'series' },
      ...{ every: EVERY[window], window, zone, settle: '0 minutes', restate_for: '0 minutes' },
      metric: isMean ? 'session_seconds' : 'event_count',
      ...(window === 'week'
        ? { compare: { to: 'previous_period' }, fire: { change: { above: '10%', below: '-10%' } } }
        : { anomaly: true }),
    }),
  );
}
