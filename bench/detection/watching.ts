import { type Alert, newAlert } from '../../shared/alerts/alert.ts';
import { advance } from '../../shared/alerts/lifecycle.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { Contestant } from './contestant.ts';
import type { Span } from './injection.ts';
import { type Point, type Series, type SeriesGrain, SPAN } from './series.ts';

/** The results of a contestant on a series. */
export interface Watched {
  /** By window. A score of 1 or more is an alarm at the published default. */
  scores: Float64Array;
  /** Starts of the breached windows of firing alerts. */
  alarms: number[];
}

/** Runs the series through the alert lifecycle. Three normal windows in a row, or 24 hours, close an alert. */
export function watched(contestant: Contestant, series: Series): Watched {
  const detector = contestant.watch(series);
  const rule = RULES[series.grain];
  const scores = new Float64Array(series.points.length);
  const alarms: number[] = [];
  let alert = freshAlert(rule, Number.NEGATIVE_INFINITY);
  for (const [i, point] of series.points.entries()) {
    const score = detector.score(point);
    detector.learn(point, alert.fired !== null);
    scores[i] = score;
    if (point.value === null) continue;
    const evaluation = evaluationOf(point, score, series.grain);
    alert = advance(alert, evaluation, rule).alert;
    if (alert.state === 'firing' && evaluation.verdict === 'breached') alarms.push(point.at);
    const { endAt } = evaluation.current.window;
    if (alert.fired && endAt - alert.fired.windowEndAt + SPAN[series.grain] >= DAY_MS)
      alert = freshAlert(rule, endAt);
  }
  return { scores, alarms };
}

/** The highest score in each span. Skips the alert lifecycle if the contestant does not depend on it. */
export function highestScores(contestant: Contestant, series: Series, spans: Span[]): number[] {
  if (contestant.usesAlertState) {
    const { scores } = watched(contestant, series);
    return spans.map(({ from, to }) => Math.max(...scores.subarray(from, to)));
  }
  const detector = contestant.watch(series);
  const highest = spans.map(() => 0);
  let current = 0;
  for (const [i, point] of series.points.entries()) {
    const span = spans[current];
    if (!span) break;
    if (i >= span.from) highest[current] = Math.max(highest[current] ?? 0, detector.score(point));
    detector.learn(point, false);
    if (i + 1 === span.to) current++;
  }
  return highest;
}

function ruleOf(every: string): Rule {
  return buildRule(
    ruleSetEntrySchema.parse({
      ...{ id: 'series', title: 'A series', app: 'bench', owner: 'bench', metric: 'event_count' },
      ...{ every, fire: { change: { above: '0%', below: '0%' } }, recover_after: '3 of 3' },
    }),
  );
}

const RULES: Record<SeriesGrain, Rule> = { hour: ruleOf('hour'), day: ruleOf('day at 01:00') };

function freshAlert(rule: Rule, evaluatedThroughAt: number): Alert {
  return newAlert({ ruleId: rule.id, segment: null }, 'bench', evaluatedThroughAt);
}

function evaluationOf({ at, value }: Point, score: number, grain: SeriesGrain): Evaluation {
  const reading = { window: { startAt: at, endAt: at + SPAN[grain] }, value, weight: null };
  const isBeyond = score >= 1;
  return {
    ...{ current: reading, baseline: { ...reading, origin: { of: 'model' } }, previous: reading },
    ...{ difference: null, change: null },
    ...{ gates: [], significance: null, surprise: null },
    verdict: isBeyond ? 'breached' : 'clear',
    reason: { code: 'gate', gate: 'season' },
    recovered: !isBeyond,
  };
}
