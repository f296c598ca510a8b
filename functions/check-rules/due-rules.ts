import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Memory, NO_MEMORY, outside } from '../../shared/evaluation/baseline.ts';
import type { Batch, Check } from '../../shared/planning/plan.ts';
import { windowsToRestate } from '../../shared/planning/restated-windows.ts';
import type { Need } from '../../shared/planning/wanted-readings.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import { type FigureRule, hasSegments, type Rule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import type { SeriesTask } from './evaluate-series.ts';
import type { Gap, Gathering } from './gather-readings.ts';

/** A rule with the windows that can be evaluated, the reason why others cannot, and all its alerts. */
export interface DueRule extends Need {
  /** The start of the first due window, whether it can be evaluated or not. */
  dueFromAt: number;
  gap: Gap | undefined;
  alerts: Map<string | null, Alert>;
  unreadable: UnreadableAlert[];
}

/** The time of the app's newest known event, and the reason if the service could not be asked. */
export interface Freshness {
  newestDataAt: number;
  trouble?: Gap;
}

/** The times in which the app was found to send nothing. Windows in them are unknown. */
interface Silenced extends Freshness {
  /** Up to then the data are complete, because the app is usually quiet since its newest event. */
  completeThroughAt: number;
  silences: readonly Window[];
}

/**
 * The rules of the batch except composites, with their alerts. Rules that were removed or changed their meaning since
 * the batch was planned are left out: the next tick plans them as they are now.
 */
export async function loadDueRules(
  batch: Batch,
  ruleSet: RuleSet,
  alerts: AlertStore,
  freshness: Silenced,
): Promise<DueRule[]> {
  const rules = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const checks = batch.checks.flatMap((check) => {
    const rule = rules.get(check.ruleId);
    return rule && !rule.members && meaningOf(rule) === check.meaning ? [{ rule, check }] : [];
  });
  const whole = checks
    .filter(({ rule }) => !hasSegments(rule))
    .map(({ rule }) => ({ ruleId: rule.id, segment: null }));
  const segmented = checks.filter(({ rule }) => hasSegments(rule)).map(({ rule }) => rule.id);
  const unreadable: UnreadableAlert[] = [];
  const note = (alert: UnreadableAlert) => void unreadable.push(alert);
  const ofRules = async (ids: string[]) =>
    (await Promise.all(ids.map((id) => alerts.loadOfRule(id, note)))).flat();
  const loadWholes = async () => {
    const wholes = whole.length > 0 ? await alerts.load(whole, note) : [];
    return [...wholes, ...(await ofRules(changed(wholes, rules)))];
  };
  const loaded = await Promise.all([loadWholes(), ofRules(segmented)]);
  const stored = Map.groupBy(loaded.flat(), ({ ruleId }) => ruleId);
  return checks.map(({ rule, check }) => ({
    ...dueRuleOf(rule, check, stored.get(rule.id) ?? [], { freshness, scheduledAt: batch.scheduledAt }),
    unreadable: unreadable.filter(({ ruleId }) => ruleId === rule.id),
  }));
}

/** Rules that changed since their last evaluation: they may have alerts of segments. */
function changed(wholes: Alert[], rules: Map<string, Rule>): string[] {
  return wholes.flatMap(({ ruleId, ruleHash }) => {
    const rule = rules.get(ruleId);
    return rule && meaningOf(rule) !== ruleHash ? [ruleId] : [];
  });
}

/** Windows that end after the data are complete are not read: their figures are incomplete, and would be stored. */
function dueRuleOf(
  rule: FigureRule,
  { windows, meaning }: Check,
  stored: Alert[],
  { freshness, scheduledAt }: { freshness: Silenced; scheduledAt: number },
): Omit<DueRule, 'unreadable'> {
  const fresh = windows.filter(({ endAt }) => endAt <= freshness.completeThroughAt);
  const next = windows[fresh.length];
  const gap = next && (freshness.trouble ?? stale(next.endAt, freshness.newestDataAt));
  const memories: Memory[] = stored.filter(
    ({ fired, suspected, incidents, levelSinceAt }) =>
      fired || suspected || incidents.length > 0 || levelSinceAt !== null,
  );
  const { silences } = freshness;
  return {
    rule,
    windows: fresh,
    dueFromAt: windows[0]?.startAt ?? 0,
    gap,
    memories: silences.length > 0 ? [NO_MEMORY, ...memories].map(outside(silences)) : memories,
    again: windowsToRestate(
      rule,
      stored.filter(({ ruleHash }) => ruleHash === meaning),
      scheduledAt,
    ),
    alerts: new Map(stored.map((alert) => [alert.segment, alert])),
  };
}

function stale(endAt: number, newestDataAt: number): Gap {
  if (!Number.isFinite(newestDataAt)) return { kind: 'stale', reason: { code: 'app-sent-nothing' } };
  return { kind: 'stale', reason: { code: 'data-late', neededAt: endAt, newestDataAt } };
}

/** A due rule with the windows to evaluate now, and the reason why others cannot be evaluated. */
export interface EvaluatedRule {
  task: SeriesTask;
  gap: Gap | undefined;
  dueRule: DueRule;
}

/** Keeps the windows before the first missing reading, with the reason for it. */
export function evaluateDueRule(
  dueRule: DueRule,
  gathering: Gathering,
  run: Omit<SeriesTask, keyof DueRule | 'history' | 'calendarWindows'>,
): EvaluatedRule {
  const gaps = dueRule.windows.map((window) => gathering.gapFor(dueRule, window));
  const firstGap = gaps.findIndex((gap) => gap !== undefined);
  const windows = firstGap < 0 ? dueRule.windows : dueRule.windows.slice(0, firstGap);
  const { rule, dueFromAt } = dueRule;
  const { history, calendarWindows } = gathering;
  const again = dueRule.again.map(({ window }) => window);
  const task = { ...run, rule, windows, again, dueFromAt, history, calendarWindows };
  return { task, gap: gaps[firstGap] ?? dueRule.gap, dueRule };
}
