import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Gate } from '../evaluation/gate.ts';
import type { Rule } from '../rules/rule.ts';
import { gateText, type MomentText } from './gate-text.ts';
import { plainGateText } from './plain-gate-text.ts';

/** The reason of a verdict, with exact figures. */
export function verdictText(evaluation: Pick<Evaluation, 'reason' | 'gates'>, at: MomentText): string {
  return textWith(evaluation, (gate) => gateText(gate, at));
}

/** The reason of a verdict without statistics. `rule`: the rule it was evaluated with. */
export function plainVerdictText(
  evaluation: Pick<Evaluation, 'reason' | 'gates'>,
  rule: Rule | undefined,
  at: MomentText,
): string {
  if (!rule || rule.members) return verdictText(evaluation, at);
  return textWith(evaluation, (gate) => plainGateText(gate, rule, at));
}

function textWith(
  { reason, gates }: Pick<Evaluation, 'reason' | 'gates'>,
  textOf: (gate: Gate) => string,
): string {
  switch (reason.code) {
    case 'gate': {
      const decisive = gates.find(({ gate }) => gate === reason.gate);
      return decisive ? textOf(decisive) : '';
    }
    case 'no-value':
      return 'no data in the window';
    case 'no-denominator':
      return "the ratio's denominator has no data in the window";
    case 'no-season':
      return 'not enough history to know what is normal at this time of the week';
    case 'new-segment':
      return 'the segment is new: not enough history to compare with';
    case 'no-baseline':
      return 'the baseline has no value to compare with';
    case 'not-comparable':
      return 'the window cannot be compared with the baseline';
    case 'members':
      return `${reason.firing} of ${reason.of} rules ${reason.firing === 1 ? 'is' : 'are'} firing`;
  }
}
