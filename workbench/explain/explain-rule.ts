import type { Alert } from '../../shared/alerts/alert.ts';
import { sinceOf } from '../../shared/alerts/open-alert.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { driverSentences } from '../../shared/messages/driver-text.ts';
import { boundsText } from '../../shared/messages/figure-text.ts';
import { dueAt } from '../../shared/planning/plan.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import { bySeverity } from '../../shared/responding/alert-status.ts';
import { type CompositeRule, hasSegments, type Rule } from '../../shared/rules/rule.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import { deployedRules, ruleCalled } from '../find-rule.ts';
import { explainWindow } from './explain-window.ts';
import { decisiveIn, type ExplainedSeries, type ExplainedWindow, seriesFacts } from './explanation.ts';

export interface ExplainRequest {
  ruleId: string;
  /** Segment to explain; all are listed without it. */
  segment?: string | undefined;
  /** Selects the window last due by then; by default the last evaluated one. */
  at?: number | undefined;
  now: number;
}

export type ExplainDeps = Pick<Stores, 'rules' | 'alerts' | 'readings' | 'runs'>;

/** Fields that end in `At` are epoch milliseconds; `explain --json` prints them as ISO 8601 in UTC. */
export type Explanation = Awaited<ReturnType<typeof explainRule>>;
export type ExplainedAlert = ReturnType<typeof alertFacts>;

interface Evaluated {
  /** `null` before its first evaluation, and for a rule with segments if none is selected. */
  evaluated: ExplainedWindow | null;
  /** For a composite rule: its members. */
  members: (ExplainedSeries & { rule: string })[];
}

/** From stored data. Throws `ConfigError` for an unknown rule or segment, and for a window in the future. */
export async function explainRule(request: ExplainRequest, deps: ExplainDeps) {
  const { ruleId } = request;
  const ruleSet = await deployedRules(deps.rules);
  const rule = ruleCalled(ruleId, ruleSet);
  const alerts = await deps.alerts.loadOfRule(ruleId);
  const segment = segmentOf(rule, request.segment, alerts);
  const isList = hasSegments(rule) && segment === null;
  const alert = alerts.find((each) => each.segment === segment);
  const scene = { alerts, alert, segment };
  const evaluated: Evaluated = rule.members
    ? await explainComposite(rule, { ruleSet, alert }, deps)
    : { evaluated: isList ? null : await explainWindow({ ...scene, rule }, request, deps), members: [] };
  return {
    rule: ruleFacts(rule, ruleSet),
    /** `null` for the whole rule. */
    segment,
    /** `null` before its first evaluation. */
    alert: alert ? alertFacts(alert, rule) : null,
    ...evaluated,
    /** For a whole rule with segments: all of them, most severe first. */
    segments: isList
      ? alerts
          .filter((each) => each.segment !== null)
          .toSorted(bySeverity)
          .map(seriesFacts)
      : [],
    pending: Object.values(alert?.pending ?? {}),
    /** Newest first. */
    sent: alert?.sent ?? [],
  };
}

/** Throws `ConfigError` for an unknown segment. */
function segmentOf(rule: Rule, asked: string | undefined, alerts: Alert[]): string | null {
  if (asked === undefined) return null;
  if (!hasSegments(rule)) throw new ConfigError(`${rule.id} has no segments: omit --segment`);
  const known = alerts.flatMap(({ segment }) => segment ?? []);
  if (known.includes(asked)) return asked;
  const meant = didYouMean(asked, known) || '; omit --segment to list all';
  throw new ConfigError(`${rule.id} has no segment "${asked}"${meant}`);
}

function ruleFacts(rule: Rule, { version }: RuleSet) {
  const { id, title, app, owner, zone, window } = rule;
  return {
    ...{ id, title, app, owner, zone, window },
    /** Changes exactly when the rule's meaning does. */
    meaning: meaningOf(rule),
    version,
    bounds: wordsOf(rule),
  };
}

function wordsOf(rule: Rule): string {
  if (rule.members) return `fires while ${needsText(rule)}`;
  const recover = rule.recover ? `; stays open at ${boundsText(rule.recover, rule)}` : '';
  return rule.fire ? `fires at ${boundsText(rule.fire, rule)}${recover}` : 'fires outside the expected range';
}

function needsText({ members }: CompositeRule): string {
  const ids = members.ruleIds.join(', ');
  return members.needs === 'all' ? `all of ${ids} fire` : `one of ${ids} fires`;
}

function alertFacts(alert: Alert, rule: Rule) {
  const { state, evaluatedThroughAt, flappingSinceAt, health, noData } = alert;
  const { acknowledged, snoozed, excusedUntilAt, ruleHash: meaning, fired, segment } = alert;
  const drivers = fired?.drivers && !rule.members ? driverSentences(fired.drivers, { rule, segment }) : [];
  return {
    ...{ state, sinceAt: sinceOf(alert), evaluatedThroughAt, flappingSinceAt, noData },
    /** `null` while it can be evaluated. */
    ails: health.kind === 'ok' ? null : { kind: health.kind, sinceAt: health.since, reason: health.reason },
    ...{ acknowledged, snoozed, excusedUntilAt, meaning, drivers },
  };
}

/** The last verdict of a composite rule, and the state of its members. */
async function explainComposite(
  rule: CompositeRule,
  { ruleSet, alert }: { ruleSet: RuleSet; alert: Alert | undefined },
  { alerts }: Pick<Stores, 'alerts'>,
): Promise<Evaluated> {
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
    ...{ readings: [], baseline: [], outlook: [] },
  };
}
