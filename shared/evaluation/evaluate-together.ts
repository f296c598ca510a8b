import type { FigureRule } from '../rules/rule.ts';
import { evaluate } from './evaluate.ts';
import type { Evaluation } from './evaluation.ts';
import type { Evidence } from './evidence.ts';
import { outsideRollouts } from './rolling-versions.ts';
import { rolloutGate, rolloutsOf } from './rollout.ts';
import { significancesOf } from './significance.ts';

/**
 * Evaluates one window of all series of a rule, in the order of `evidences`. Whether one stands out depends on their
 * number, and events can move from one version to another.
 */
export function evaluateTogether(rule: FigureRule, evidences: Evidence[]): Evaluation[] {
  const rollouts = rolloutsOf(rule, evidences);
  const learned = outsideRollouts(rule, evidences);
  const evaluations = evaluateAll(rule, learned);
  if (!evaluations.some(({ verdict }, i) => verdict === 'breached' && rollouts[i])) return evaluations;

  const left = evaluateAll(
    rule,
    learned.map((evidence, i) => ({ ...evidence, baseline: rollouts[i]?.baseline ?? evidence.baseline })),
  );
  return evaluations.map((evaluation, i): Evaluation => {
    const rollout = rollouts[i];
    if (!rollout || evaluation.verdict !== 'breached') return evaluation;
    const isBreached = left[i]?.verdict === 'breached';
    const gate = rolloutGate(rollout, isBreached);
    const gates = [...evaluation.gates, gate];
    return isBreached
      ? { ...evaluation, gates }
      : { ...evaluation, gates, verdict: 'clear', reason: { code: 'gate', gate: 'rollout' } };
  });
}

function evaluateAll(rule: FigureRule, evidences: Evidence[]): Evaluation[] {
  const tests = significancesOf(rule, evidences);
  return evidences.map((evidence, i) => evaluate(rule, evidence, tests[i] ?? null));
}
