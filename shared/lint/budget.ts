import { callShortageText } from '../messages/call-shortage-text.ts';
import { callShortages } from '../planning/call-shortage.ts';
import type { Rule } from '../rules/rule.ts';
import { aboutRule, type Finding } from './findings.ts';

/** Apps whose rules together need more calls than are allowed. `perHour` is the limit for each app. */
export function budgetFindings(rules: Rule[], now: number, perHour: number): Finding[] {
  return callShortages(rules, { now, perHour, estimate: 'most' }).flatMap((shortage) => {
    const [rule] = shortage.families[0]?.rules ?? [];
    if (!rule) return [];
    const message = callShortageText(shortage);
    return shortage.per === 'day'
      ? aboutRule(rule.id, [{ code: 'calls-over-budget', path: ['id'], message }])
      : aboutRule(rule.id, [{ code: 'calls-at-once', path: ['every'], message }]);
  });
}
