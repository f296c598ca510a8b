import type { Alert } from '../../shared/alerts/alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { dueAt } from '../../shared/planning/plan.ts';
import { bySeverity } from '../../shared/responding/alert-status.ts';
import { type CompositeRule, hasSegments } from '../../shared/rules/rule.ts';
import type { Stores } from '../../shared/store/stores.ts';
import {
  decisiveIn,
  type ExplainedSeries,
  type ExplainedWindow,
  type Explanation,
  seriesFacts,
} from './explanation.ts';

/** The last verdict of a composite rule, and the state of its members. */
export async function explainComposite(
  rule: CompositeRule,
  { ruleSet, alert }: { ruleSet: RuleSet; alert: Alert | undefined },
  { alerts }: Pick<Stores, 'alerts'>,
): Promise<Pick<Explanation, 'evaluated' | 'members'>> {
  const rules = ruleSet.rules.filter(({ id }) => rule.members.ruleIds.includes(id));
  const found = await Promise.all(
    rules.map(async (each) => ({ each, stored: await alerts.loadOfRule(each.id) })),
  );
  return {
    evaluated: alert?.last ? evaluatedLast(rule, alert.last) : null,
    members: found.map(({ each, stored }) => {
      const series = stored.filter(({ segment }) => hasSegments(each) === (segment !== null));
      const [mostSevere] = series.toSorted(bySeverity);
      return { rule: each.id, ...(mostSevere ? seriesFacts(mostSevere) : UNSEEN) };
    }),
  };
}

const UNSEEN: ExplainedSeries = {
  ...{ segment: null, state: 'unseen', verdict: null, reason: null },
  ...{ current: null, baseline: null, change: null },
};

function evaluatedLast(rule: CompositeRule, evaluation: Evaluation): ExplainedWindow {
  const { window } = evaluation.current;
  return {
    ...{ window, dueAt: dueAt(rule, window), from: 'kept', evaluation, decisive: decisiveIn(evaluation) },
    ...{ readings: [], baseline: [], outlook: [], live: null },
  };
}
