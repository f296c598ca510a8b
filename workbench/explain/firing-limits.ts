import type { Alert } from '../../shared/alerts/alert.ts';
import { hitsIn, lastCounted } from '../../shared/alerts/evaluated-windows.ts';
import { comparableOf, type Evaluation } from '../../shared/evaluation/evaluation.ts';
import { bandAround } from '../../shared/evaluation/expected-limits.ts';
import { amountText, limitText } from '../../shared/messages/figure-text.ts';
import { boundsLevel, type FigureRule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';

/** The values at which the window fires or recovers, and how many windows that takes; one sentence each. */
export function outlookOf(rule: FigureRule, alert: Alert | undefined, evaluation: Evaluation): string[] {
  const fired = alert?.fired ?? null;
  return [
    ...breachText(rule, evaluation),
    ...(fired && alert ? recoveryText(rule, alert, evaluation) : countText(rule, alert)),
  ];
}

/** "breaches below 612 events; is 640". */
function breachText(rule: FigureRule, evaluation: Evaluation): string[] {
  const { value } = evaluation.current;
  const isLevel = boundsLevel(rule);
  const expected = isLevel ? value : comparableOf(evaluation);
  if (expected === null || value === null) return [];
  const { low, high } = bandAround(rule, expected, evaluation.surprise);
  const limits = [
    ...(low === null ? [] : [`below ${limited(low, value, rule)}`]),
    ...(high === null ? [] : [`above ${limited(high, value, rule)}`]),
  ];
  const is = `is ${amountText(value, rule)}`;
  if (limits.length === 0) return [`no value would breach against this baseline; ${is}`];
  if (isLevel) return [`breaches ${limits.join(' or ')}; ${is}`];
  const gates = rule.fire ? 'if the volume and significance gates pass' : 'if the volume gate passes';
  return [`breaches ${limits.join(' or ')}, ${gates}; ${is}`];
}

function limited(limit: number, value: number, rule: FigureRule): string {
  return limitText(limit, value, metricOf(rule).kind === 'ratio');
}

/** "recovers at 700 or more, in 2 of 2 windows; 1 so far". */
function recoveryText(rule: FigureRule, { fired, recent }: Alert, evaluation: Evaluation): string[] {
  const { hits, windows } = rule.recover_after;
  const since = recent.filter(({ endAt }) => endAt > (fired?.windowEndAt ?? 0));
  const sofar = hitsIn(lastCounted(since, windows), 'clear');
  const expected = boundsLevel(rule) ? evaluation.current.value : comparableOf(evaluation);
  const bounds = rule.recover ?? rule.fire;
  const band =
    expected === null || !bounds
      ? undefined
      : bandAround({ ...rule, fire: bounds }, expected, evaluation.surprise);
  const { value } = evaluation.current;
  const where = !band
    ? 'recovers inside the expected range'
    : `recovers ${[
        ...(band.low === null ? [] : [`at ${limited(band.low, value ?? 0, rule)} or more`]),
        ...(band.high === null ? [] : [`at ${limited(band.high, value ?? 0, rule)} or less`]),
      ].join(' and ')}`;
  return [`${where}, in ${hits} of ${windows} ${windows === 1 ? 'window' : 'windows'}; ${sofar} so far`];
}

/** "fires when 2 of the last 3 windows breached; 1 did". */
function countText({ fire_after }: FigureRule, alert: Alert | undefined): string[] {
  const { hits, windows } = fire_after;
  if (windows === 1) return [];
  const breached = hitsIn(lastCounted(alert?.recent ?? [], windows), 'breached');
  return [`fires when ${hits} of the last ${windows} windows breached; ${breached} did`];
}
