import type { ReplayedWindow } from '../../local/replay/replayed.ts';
import { isOpen } from '../../shared/alerts/alert.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { gateText } from '../../shared/messages/gate-text.ts';
import { healthText } from '../../shared/messages/reason-text.ts';
import { windowText } from '../../shared/messages/time-text.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import type { ExpectedAlert } from '../../shared/rule-tests/rule-test-file.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { BoundTest } from './bind-test.ts';
import { startOf } from './expectations.ts';
import type { Outcome } from './run-test.ts';
import { isAt, localText } from './test-times.ts';

/** Why an expected alert was not sent, as lines: its window with the verdict and the gates. */
export function whyNot(expected: ExpectedAlert, test: BoundTest, outcome: Outcome): string[] {
  const { subject, segment, window, at, isOfApp } = expected;
  if (isOfApp)
    return [
      'an app stops when a run finds no data within "settle" and "grace"; use stale for windows in which it sends nothing',
    ];
  const rule = test.ruleSet.rules.find(({ id }) => id === subject);
  if (!rule) return [];
  const evaluated = outcome.evaluated.findLast(
    (each) =>
      each.ruleId === rule.id &&
      (segment === undefined || segment === each.segment) &&
      isAt(window, startOf(each.evaluation, rule), test.clock) &&
      isAt(at, each.at, test.clock),
  );
  if (!evaluated) return whyNotEvaluated(rule, segment, test, outcome);
  return verdictLines(evaluated, rule, whyNotNotified(expected, evaluated, rule));
}

function verdictLines({ segment, evaluation }: ReplayedWindow, rule: Rule, reason?: string): string[] {
  const { current, verdict } = evaluation;
  const series = segment === null ? rule.id : `${rule.id} [${segment}]`;
  const when = windowText(current.window, { grain: rule.window, zone: rule.zone });
  return [
    `${series}, ${when}: ${verdict}`,
    ...reasonLines(reason ?? reasonBeside(evaluation, rule.zone), evaluation, rule.zone),
  ];
}

/** The verdict of the last window of each of these rules, or why there was none. */
export function lastVerdicts(rules: Rule[], test: BoundTest, outcome: Outcome): string[] {
  return rules.flatMap((rule) => {
    const last = outcome.evaluated.findLast(({ ruleId }) => ruleId === rule.id);
    return last ? verdictLines(last, rule) : whyNotEvaluated(rule, undefined, test, outcome);
  });
}

/** The reason, if it is not a gate, and the gates with their figures. Times are in the zone. */
export function reasonLines(
  reason: string | undefined,
  evaluation: Pick<Evaluation, 'gates'> | null,
  zone: string,
): string[] {
  const lines = (evaluation?.gates ?? []).map(
    (gate) => `  ${gate.passed ? 'passed' : 'FAILED'} ${gate.gate}: ${gateText(gate, zone)}`,
  );
  return [...(reason === undefined ? [] : [`  ${reason}`]), ...lines];
}

/** The evaluation's reason, if it is not a gate. */
export function reasonBeside(evaluation: Evaluation, zone: string): string | undefined {
  return evaluation.reason.code === 'gate' ? undefined : verdictText(evaluation, zone);
}

/** Why no notification was sent, where the verdict does not say. */
function whyNotNotified(
  { transition }: ExpectedAlert,
  { evaluation, state }: ReplayedWindow,
  { fire_after, recover_after, quiet, zone }: Rule,
): string | undefined {
  if (transition === 'fired' && evaluation.verdict === 'breached') {
    if (state === 'pending')
      return `it breaches, but the rule fires after ${fire_after.hits} of ${fire_after.windows} windows`;
    if (quiet) return 'it fires without notifying: the rule is quiet';
    return 'it fires, but is notified at another time, ends in the same run, or is muted until the test ends';
  }
  if (transition !== 'recovered') return undefined;
  if (!isOpen(state)) return 'it does not fire';
  return evaluation.recovered
    ? `it is back in bounds, but the rule recovers after ${recover_after.hits} of ${recover_after.windows} windows`
    : `it still fires: it has not met its recovery bounds: ${verdictText(evaluation, zone)}`;
}

function whyNotEvaluated(
  rule: Rule,
  segment: string | undefined,
  { clock }: BoundTest,
  { evaluated, unevaluated }: Outcome,
): string[] {
  const { id, every } = rule;
  const gap = unevaluated.findLast(({ ruleId }) => ruleId === id);
  if (gap) {
    const why = healthText(gap.reason, clock.zone);
    return [`${id} could not be evaluated at ${localText(gap.at, clock)}: ${why}`];
  }
  const own = evaluated.filter(({ ruleId }) => ruleId === id);
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last)
    return [`${id} was not evaluated: no run (${every}) falls where all its windows have values`];
  const segments = [...new Set(own.flatMap((each) => each.segment ?? []))];
  if (segment !== undefined && !segments.includes(segment) && segments.length > 0)
    return [`${id} did not evaluate the segment "${segment}"; it evaluated ${segments.join(', ')}`];
  const [from, to] = [first, last].map((each) => localText(startOf(each.evaluation, rule), clock));
  return [
    `${id} did not evaluate this window; it evaluated those from ${from} to ${to}: add values for a later run`,
  ];
}
