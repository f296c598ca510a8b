import type { Alert, Debt } from '../../shared/alerting/alert.ts';
import { type Breach, driverQuestions } from '../../shared/alerting/driver-questions.ts';
import type { Movement } from '../../shared/alerting/driver-sentences.ts';
import type { Answer } from '../../shared/alerting/driver-tables.ts';
import { driversOf, nextQuestion } from '../../shared/alerting/drivers.ts';
import { metricOf } from '../../shared/alerting/metrics.ts';
import type { MetricSource } from '../../shared/alerting/ports.ts';
import type { Question } from '../../shared/alerting/reading.ts';
import { seriesKeyOf } from '../../shared/alerting/series.ts';
import type { Judging } from './judge-rule.ts';

/** An alert with, in the word of its fire that it owes since this tick, what drove it. */
export type ExplainFire = (alert: Alert, judging: Judging) => Promise<Alert>;

/** Fires of one run that are explained: each may take a dozen calls, and a day on which all falls has one cause. */
const MOST_EXPLAINED = 5;

/**
 * Explains the first fires of a run, from spare calls alone. A fire is told without what drove it where that cannot be
 * had: no question about it holds it up or makes it fail.
 */
export function fireExplainer(source: MetricSource): ExplainFire {
  let explained = 0;
  return async (alert, judging) => {
    const fires = Object.entries(alert.owed).filter(
      ([, { transition, tick }]) => transition === 'fired' && tick === judging.tick.id,
    );
    const [fire] = fires.map(([, debt]) => debt);
    const found = fire && breachOf(fire, alert, judging);
    if (!found || explained >= MOST_EXPLAINED) return alert;
    explained += 1;
    const drivers = await explain(found, source);
    const told = fires.map(([key, debt]): [string, Debt] => [key, { ...debt, drivers }]);
    return drivers.length > 0 ? { ...alert, owed: { ...alert.owed, ...Object.fromEntries(told) } } : alert;
  };
}

interface Fire {
  breach: Breach;
  moved: Movement;
}

/** The fire beside a window of the past that was read; a week before where a model expected. */
function breachOf(
  { evaluation }: Debt,
  { segment }: Alert,
  { rule, history, almanac }: Judging,
): Fire | undefined {
  if (!evaluation) return undefined;
  const { window, origin } = evaluation;
  const baselineWindow = origin.of === 'model' ? almanac.weeksBefore(window, 1) : evaluation.baselineWindow;
  const baseline =
    history.reading(baselineWindow, seriesKeyOf(rule, segment), metricOf(rule))?.value ??
    (origin.of === 'window' ? evaluation.baseline.value : undefined);
  const current = evaluation.current.value;
  if (current === null || baseline == null) return undefined;
  return { breach: { rule, segment, window, baselineWindow }, moved: { current, baseline } };
}

async function explain({ breach, moved }: Fire, source: MetricSource): Promise<string[]> {
  const answers: Answer[] = [];
  const ask = async (question: Question) => {
    const result = await source.read(question, 'spare');
    if (result.kind === 'read') answers.push({ question, rows: result.value });
    return result.kind === 'read';
  };
  for (const question of driverQuestions(breach)) if (!(await ask(question))) break;
  const next = nextQuestion(breach, moved, answers);
  if (next) await ask(next);
  return driversOf(breach, moved, answers)?.sentences ?? [];
}
