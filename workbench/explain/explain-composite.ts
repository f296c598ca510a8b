import type { Alert } from '../../shared/alerts/alert.ts';
import { evaluateMembers, type Member, memberOf, ofSegment } from '../../shared/alerts/composite.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { dueAt } from '../../shared/planning/plan.ts';
import { bySeverity } from '../../shared/responding/alert-status.ts';
import { type CompositeRule, hasSegments } from '../../shared/rules/rule.ts';
import type { Stores } from '../../shared/store/stores.ts';
import {
  type Again,
  decisiveIn,
  differenceOf,
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
  const members = found.flatMap(({ each, stored }) => (each.members ? [] : [memberOf(each, stored)]));
  return {
    evaluated: alert?.last ? evaluatedLast(rule, alert, alert.last, members) : null,
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

function evaluatedLast(
  rule: CompositeRule,
  { segment }: Alert,
  evaluation: Evaluation,
  members: Member[],
): ExplainedWindow {
  const {
    current: { window },
  } = evaluation;
  const own = segment === null ? members : members.map((member) => ofSegment(member, segment));
  return {
    ...{ window, dueAt: dueAt(rule, window), from: 'kept', evaluation, decisive: decisiveIn(evaluation) },
    ...{ readings: [], baseline: [], outlook: [], live: null },
    again: driftOf(evaluation, evaluateMembers(rule, window, own)),
  };
}

function driftOf({ verdict: before }: Evaluation, again: Evaluation | undefined): Again {
  if (!again)
    return { kind: 'unknown', reason: 'its member rules changed, or not all of them have evaluated it' };
  if (again.verdict === before) return { kind: 'same' };
  return differenceOf(again, ['the verdict of a member rule on that window changed since']);
}
