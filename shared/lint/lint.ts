import { callShortageText } from '../messages/call-shortage-text.ts';
import { callShortages } from '../planning/call-shortage.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { boundsRemarks } from './bounds.ts';
import { aboutRule, type Finding, type Remark, type Subject } from './findings.ts';
import { routeFindings, routeTimeFindings } from './routes.ts';
import { shapeRemarks, timingRemarks } from './timing.ts';

/** Valid parts of rules and routes that are probably mistakes: see docs/reference/lint.md. */
export function findingsIn({ rules, routes, now, perHour }: Subject): Finding[] {
  return [
    ...rules.flatMap((rule) => aboutRule(rule.id, remarksOn(rule, now))),
    ...routeFindings(rules, routes),
    ...routeTimeFindings(rules, routes, now),
    ...budgetFindings(rules, now, perHour),
  ];
}

function remarksOn(rule: Rule, now: number): Remark[] {
  const ofFigures = rule.members
    ? []
    : [...boundsRemarks(rule), ...shapeRemarks(rule), ...minimumRemarks(rule)];
  return [...ofFigures, ...timingRemarks(rule, now), ...runbookRemarks(rule)];
}

/** Warns about rules without a minimum, because small figures often change by large percentages. */
function minimumRemarks(rule: FigureRule): Remark[] {
  const { fire, minimum } = rule;
  const isSmall = metricOf(rule).kind === 'count' && (rule.filters.length > 0 || rule.window === 'hour');
  const isPercentage = fire?.change !== undefined && !fire.current && !fire.difference;
  if (!isSmall || !isPercentage || minimum.current + minimum.baseline + minimum.difference > 0) return [];
  const message =
    'small figures change by large percentages: 4 after 3 is +33%; add "minimum: { baseline: … }"';
  return [{ code: 'minimum-missing', path: ['fire', 'change'], message }];
}

/** Critical rules that do not tell a person on call what to do. */
function runbookRemarks({ severity, runbook }: Rule): Remark[] {
  if (severity !== 'critical' || runbook !== undefined) return [];
  const message = 'a critical alert should say what to do; add a "runbook" with a link or a sentence';
  return [{ code: 'runbook-missing', path: ['severity'], message }];
}

/** Apps whose rules together need more calls than are allowed. `perHour` is the limit for each app. */
export function budgetFindings(rules: Rule[], now: number, perHour: number): Finding[] {
  return callShortages(rules, { now, perHour }).flatMap((shortage) => {
    const [rule] = shortage.families[0]?.rules ?? [];
    if (!rule) return [];
    const message = callShortageText(shortage);
    return shortage.per === 'day'
      ? aboutRule(rule.id, [{ code: 'calls-over-budget', path: ['id'], message }])
      : aboutRule(rule.id, [{ code: 'calls-at-once', path: ['every'], message }]);
  });
}
