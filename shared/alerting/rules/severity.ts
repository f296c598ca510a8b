import { type Rule, SEVERITIES } from './rule.ts';

/** How severe the severest of `rules` is: the higher, the more. */
export function mostSevere(rules: (Pick<Rule, 'severity'> | undefined)[]): number {
  return Math.max(-1, ...rules.map((rule) => (rule ? SEVERITIES.indexOf(rule.severity) : -1)));
}
