import type { Alert, Notification } from '../../shared/alerts/alert.ts';
import { type Breach, driverQuestions } from '../../shared/evaluation/driver-questions.ts';
import type { Answer } from '../../shared/evaluation/driver-tables.ts';
import { type Drivers, driversOf, type Movement, nextQuestion } from '../../shared/evaluation/drivers.ts';
import type { MetricSource } from '../../shared/readings/metric-source.ts';
import type { Question, ReadingRow } from '../../shared/readings/reading.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import { levelOf } from '../../shared/rules/bounds.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import type { SeriesTask } from './evaluate-series.ts';

/** Adds drivers to an alert that fires at this tick, and to its pending notifications. */
export type ExplainFire = (alert: Alert, task: SeriesTask) => Promise<Alert>;

/** How many fires of a run are explained: each may take a dozen calls, and a day on which all falls has one cause. */
const MOST_EXPLAINED = 5;

/** How long explaining may delay the fires of a run, in total: they are saved and sent after it. */
const MOST_MS = 20_000;

/**
 * Explains the first fires of a run, with spare calls only. A fire is sent without drivers if a question fails or takes
 * too long. After a question without an answer, no more are asked in this run.
 */
export function fireExplainer(source: MetricSource, now: () => number, mostMs = MOST_MS): ExplainFire {
  let explained = 0;
  let untilAt: number | undefined;
  let isOver = false;
  const ask: Ask = async (question) => {
    isOver ||= now() >= (untilAt ?? Infinity);
    if (isOver) return undefined;
    const result = await source.read(question, 'spare');
    isOver ||= result.kind !== 'read';
    return result.kind === 'read' ? result.value : undefined;
  };
  return async (alert, task) => {
    const fires = Object.entries(alert.pending).filter(
      ([, { transition, tick }]) => transition === 'fired' && tick === task.tick.id,
    );
    const [fire] = fires.map(([, notification]) => notification);
    const found = fire?.drivers === null && breachOf(fire, alert, task);
    if (!found || isOver || explained >= MOST_EXPLAINED) return alert;
    explained += 1;
    untilAt ??= now() + mostMs;
    const drivers = await within(untilAt - now(), explain(found, ask));
    isOver ||= drivers === undefined;
    if (!drivers) return alert;
    const withDrivers = fires.map(([key, notification]): [string, Notification] => [
      key,
      { ...notification, drivers },
    ]);
    const fired = alert.fired && { ...alert.fired, drivers };
    return { ...alert, fired, pending: { ...alert.pending, ...Object.fromEntries(withDrivers) } };
  };
}

/** The answer; `undefined` if the question failed or no more may be asked. */
type Ask = (question: Question) => Promise<ReadingRow[] | undefined>;

/** The result of `work`; `undefined` if it takes longer than `ms`. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface Fire {
  breach: Breach;
  questions: Question[];
  moved: Movement;
}

/** The fire, the window to compare it with, and what to ask. `undefined` if nothing can explain it. */
function breachOf(
  { evaluation }: Notification,
  { segment }: Alert,
  { rule, history, calendarWindows }: SeriesTask,
): Fire | undefined {
  if (!evaluation) return undefined;
  const { window, value: current } = evaluation.current;
  const { origin, ...used } = evaluation.baseline;
  // Its drivers would have to differ between the segments, not over time.
  if (origin.of === 'segments') return undefined;
  const baselineWindow = origin.of === 'model' ? calendarWindows.weeksBefore(window, 1) : used.window;
  const baseline =
    history.reading(baselineWindow, seriesKeyOf(rule, segment), metricOf(rule))?.value ??
    (origin.of === 'window' ? used.value : undefined);
  if (current === null || baseline == null || isAgainst(rule, current, baseline)) return undefined;
  const breach = { rule, segment, window, baselineWindow };
  const questions = driverQuestions(breach);
  return questions.length > 0 ? { breach, questions, moved: { current, baseline } } : undefined;
}

/** A level may be above its bound after a fall. What drove the fall is not why it fired. */
function isAgainst({ fire }: FigureRule, current: number, baseline: number): boolean {
  const level = fire && levelOf(fire, current);
  if (!level || level === 'within') return false;
  return level.side === 'above' ? current < baseline : current > baseline;
}

async function explain({ breach, questions, moved }: Fire, ask: Ask): Promise<Drivers | null> {
  const answers: Answer[] = [];
  const learn = async (question: Question) => {
    const rows = await ask(question);
    if (rows) answers.push({ question, rows });
    return rows !== undefined;
  };
  for (const question of questions) if (!(await learn(question))) break;
  const next = nextQuestion(breach, moved, answers);
  if (next) await learn(next);
  return driversOf(breach, moved, answers);
}
