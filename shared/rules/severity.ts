import type { Rule } from './rule.ts';
import { SEVERITIES } from './rule-schema.ts';

/** The index in `SEVERITIES` of the most severe of `rules`; -1 if there are none. */
export function mostSevere(rules: (Pick<Rule, 'severity'> | undefined)[]): number {
  return Math.max(-1, ...rules.map((rule) => (rule ? SEVERITIES.indexOf(rule.severity) : -1)));
}
