import type { Rule } from '../rules/rule.ts';
import { activeTimeFindings } from './active-times.ts';
import { boundsRemarks } from './bounds.ts';
import { budgetFindings } from './budget.ts';
import { figureRemarks, idleKeyRemarks } from './figures.ts';
import { aboutRule, type Finding, type Subject } from './findings.ts';
import { freeDayRemarks } from './free-days.ts';
import { peopleFindings } from './people.ts';
import { quietTimeFindings } from './quiet-times.ts';
import { routeFindings } from './routes.ts';
import { shapeRemarks, timingRemarks } from './timing.ts';
import { twinFindings } from './twins.ts';

/** Valid parts of rules and routes that are probably mistakes: see docs/reference/lint.md. */
export function findingsIn({ rules, routes, keysOf, now, perHour }: Subject): Finding[] {
  return [
    ...rules.flatMap((rule) => aboutRule(rule.id, remarksOn(rule, keysOf(rule.id), now))),
    ...peopleFindings(rules),
    ...twinFindings(rules, routes),
    ...routeFindings(rules, routes, now),
    ...quietTimeFindings(rules, routes, now),
    ...activeTimeFindings(rules, routes, now),
    ...budgetFindings(rules, now, perHour),
  ];
}

function remarksOn(rule: Rule, keys: ReadonlySet<string>, now: number) {
  const ofFigures = rule.members
    ? []
    : [...boundsRemarks(rule), ...shapeRemarks(rule), ...figureRemarks(rule)];
  return [
    ...ofFigures,
    ...timingRemarks(rule, now),
    ...freeDayRemarks(rule, now),
    ...idleKeyRemarks(rule, keys),
  ];
}
