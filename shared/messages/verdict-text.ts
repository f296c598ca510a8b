import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Rule } from '../rules/rule.ts';
import { gateText } from './gate-text.ts';

/** The reason of a verdict. `rule`: the rule it was evaluated with. */
export function verdictText(
  { reason, gates }: Pick<Evaluation, 'reason' | 'gates'>,
  zone: string,
  rule?: Rule,
): string {
  switch (reason.code) {
    case 'gate': {
      const decisive = gates.find(({ gate }) => gate === reason.gate);
      return decisive ? gateText(decisive, zone, rule?.members ? undefined : rule) : '';
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
    case 'app-silent':
      return 'the app sent no data for a part of the window, so its figures are unknown';
    case 'too-few-to-compare':
      return 'too little data to compare: the segment, or what it is compared with, is below the minimum';
    case 'not-comparable':
      return 'the window cannot be compared with the baseline';
    case 'members':
      return `${reason.firing} of ${reason.of} rules ${reason.firing === 1 ? 'is' : 'are'} firing`;
  }
}
