import type { ReplayedWindow } from '../../local/replay/replayed.ts';
import { isOpen } from '../../shared/alerts/alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { momentsIn, windowText } from '../../shared/messages/figure-text.ts';
import { gateText } from '../../shared/messages/gate-text.ts';
import { healthText } from '../../shared/messages/reason-text.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import type { ExpectedAlert } from '../../shared/rule-tests/rule-test-file.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import type { BoundTest } from './bind-test.ts';
import { subjectOf } from './expectations.ts';
import type { Outcome } from './run-test.ts';
import { isAt, localText } from './test-times.ts';

/**
 * Why an expected alert was not sent, as lines: the window with its verdict, and its gates with their figures.
 */
export function whyNot(expected: ExpectedAlert, test: BoundTest, outcome: Outcome): string[] {
  const rule = ruleNamed(expected.subject, test.ruleSet);
  if (!rule) return whyNotOfApp(expected, test);
  const own = outcome.evaluated.filter(
    ({ ruleId, segment }) =>
      ruleId === rule.id && (expected.segment === undefined || segment === expected.segment),
  );
  const meant = own.filter((each) => isMeant(expected, each, test));
  const evaluated = (meant.length > 0 ? meant : expected.window || expected.at ? [] : own.slice(-1)).at(-1);
  if (!evaluated) return whyUnjudged(rule, test, outcome, expected);
  return verdictLines(evaluated, rule, whyNotNotified(expected, evaluated, rule, outcome));
}

function verdictLines({ segment, evaluation }: ReplayedWindow, rule: Rule, reason?: string): string[] {
  const {
    current: { window },
    verdict,
  } = evaluation;
  const series = segment === null ? rule.id : `${rule.id} [${segment}]`;
  return [
    `${series}, ${windowText(window, { grain: rule.window, zone: rule.zone })}: ${verdict}`,
    ...reasonLines(reason ?? reasonBeside(evaluation, rule.zone), evaluation, rule.zone),
  ];
}

/** Why a rule never reached a verdict in the test: the verdict of its last window, or why there was none. */
export function whyNeverEvaluated(ruleId: string, test: BoundTest, outcome: Outcome): string[] {
  const rule = ruleNamed(ruleId, test.ruleSet);
  const last = outcome.evaluated.findLast((each) => each.ruleId === ruleId);
  if (!rule) return [];
  return last ? verdictLines(last, rule) : whyUnjudged(rule, test, outcome, {});
}

/** The reason, if it is not a gate, and the gates with their figures. Times are in the zone. */
export function reasonLines(
  reason: string | undefined,
  evaluation: Pick<Evaluation, 'gates'> | null,
  zone: string,
): string[] {
  const lines = (evaluation?.gates ?? []).map(
    (gate) => `  ${gate.passed ? 'passed' : 'FAILED'} ${gate.gate}: ${gateText(gate, momentsIn(zone))}`,
  );
  return [...(reason === undefined ? [] : [`  ${reason}`]), ...lines];
}

/** The evaluation's reason, if it is not a gate. */
export function reasonBeside(evaluation: Evaluation, zone: string): string | undefined {
  return evaluation.reason.code === 'gate' ? undefined : verdictText(evaluation, momentsIn(zone));
}

function ruleNamed(id: string, { rules }: RuleSet): Rule | undefined {
  return rules.find((rule) => rule.id === id);
}

function isMeant({ window, at }: ExpectedAlert, evaluated: ReplayedWindow, { clock }: BoundTest): boolean {
  const isSo = (written: string | undefined, found: number) =>
    written === undefined || isAt(written, found, clock);
  return isSo(window, evaluated.evaluation.current.window.startAt) && isSo(at, evaluated.at);
}

/** Why no notification was sent, where the verdict does not say. */
function whyNotNotified(
  { transition }: ExpectedAlert,
  evaluated: ReplayedWindow,
  rule: Rule,
  outcome: Outcome,
): string | undefined {
  const { evaluation, state, segment } = evaluated;
  const notified = outcome.notified.filter(
    (each) => subjectOf(each) === rule.id && each.pending.alert.segment === segment,
  );
  if (transition === 'fired' && evaluation.verdict === 'breached') {
    const { hits, windows } = rule.fire_after;
    if (state === 'pending') return `it breaches, but the rule fires after ${hits} of ${windows} windows`;
    if (rule.quiet) return 'it fires without notifying: the rule is quiet';
    if (notified.some(({ pending }) => pending.notification.transition === 'fired'))
      return 'it fires, and was notified at a different time';
    return 'it fires, but no notification was sent: it ended in the same run, or is muted until the test ends';
  }
  if (transition !== 'recovered') return undefined;
  if (!isOpen(state)) return notified.length === 0 ? 'it never fired' : 'it no longer fires';
  const { hits, windows } = rule.recover_after;
  return evaluation.recovered
    ? `it is back in bounds, but the rule recovers after ${hits} of ${windows} windows`
    : `it still fires: it has not met its recovery bounds: ${verdictText(evaluation, momentsIn(rule.zone))}`;
}

function whyUnjudged(
  { id, every }: Rule,
  { clock }: BoundTest,
  { evaluated, unevaluated }: Outcome,
  { segment }: Partial<ExpectedAlert>,
): string[] {
  const gap = unevaluated.findLast(({ ruleId }) => ruleId === id);
  if (gap)
    return [
      `${id} could not be evaluated at ${localText(gap.at, clock)}: ${healthText(gap.reason, momentsIn(clock.zone))}`,
    ];
  const ofRule = evaluated.filter(({ ruleId }) => ruleId === id);
  const segments = [...new Set(ofRule.flatMap(({ segment }) => segment ?? []))];
  if (segment !== undefined && !segments.includes(segment) && segments.length > 0)
    return [`${id} did not evaluate the segment "${segment}"; it evaluated ${segments.join(', ')}`];
  const [first, last] = [ofRule[0], ofRule.at(-1)];
  if (!first || !last)
    return [`${id} was not evaluated: no run (${every}) falls where all its windows have values`];
  const text = ({ at, evaluation }: ReplayedWindow) =>
    `${localText(evaluation.current.window.startAt, clock)} (at ${localText(at, clock)})`;
  return [
    `${id} did not evaluate this window; it evaluated those from ${text(first)} to ${text(last)}`,
    '  a run needs values for all its windows: add values for a later run',
  ];
}

function whyNotOfApp({ transition, subject }: ExpectedAlert, { ruleSet: { rules } }: BoundTest): string[] {
  const own = rules.filter(({ app }) => app === subject);
  const patience = Math.min(...own.map(({ settle, grace }) => settle + grace)) / 60;
  const when = `an app stops when a run finds no data for ${patience} hours (settle and grace)`;
  return transition === 'stopped' ? [`${when}; use stale for windows in which it sends nothing`] : [when];
}
