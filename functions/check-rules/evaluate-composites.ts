import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import { evaluateMembers, type Member, memberOf, ofSegment } from '../../shared/alerts/composite.ts';
import { advance } from '../../shared/alerts/lifecycle.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { queueNews } from '../../shared/notifications/pending-notifications.ts';
import type { Batch } from '../../shared/planning/plan.ts';
import { meaningOf } from '../../shared/readings/series.ts';
import type { CompositeRule } from '../../shared/rules/rule.ts';
import type { Window } from '../../shared/time/window.ts';
import { freshAlert, updateHealth } from './evaluate-rule.ts';
import type { OnEvaluated, Task } from './evaluate-series.ts';
import { failingAlone, type SavingDeps, saveAlert, saveUnreadable } from './save-alerts.ts';
import { openSegments } from './segments.ts';

type CompositeTask = Task & { rule: CompositeRule };

/**
 * Evaluates the composite rules of the batch, after all others, by the stored alerts of their members. A window that a
 * member has not evaluated waits for a later tick, and so does a member whose alert cannot be read. Only the member
 * notifies that it cannot be evaluated.
 */
export async function evaluateComposites(
  batch: Batch,
  ruleSet: RuleSet,
  deps: SavingDeps,
  onEvaluated?: OnEvaluated,
): Promise<Alert[]> {
  const { alerts } = deps;
  const rules = new Map(ruleSet.rules.map((rule) => [rule.id, rule]));
  const checks = batch.checks.flatMap((check) => {
    const rule = rules.get(check.ruleId);
    return rule?.members && meaningOf(rule) === check.meaning ? [{ rule, check }] : [];
  });
  const ids = new Set(checks.flatMap(({ rule }) => [rule.id, ...rule.members.ruleIds]));
  const unreadable: UnreadableAlert[] = [];
  const note = (alert: UnreadableAlert) => void unreadable.push(alert);
  const loaded = await Promise.all(
    [...ids].map(async (id) => [id, await alerts.loadOfRule(id, note)] as const),
  );
  const stored = new Map(loaded);
  const unread = Map.groupBy(unreadable, ({ ruleId }) => ruleId);
  const tick = { id: batch.tick, scheduledAt: batch.scheduledAt };
  const saved = checks.map(({ rule, check }) => {
    const members = rule.members.ruleIds.flatMap((id): Member[] => {
      const member = rules.get(id);
      return member && !member.members
        ? [memberOf(member, unread.has(id) ? [] : (stored.get(id) ?? []))]
        : [];
    });
    const { windows } = check;
    const dueFromAt = windows[0]?.startAt ?? 0;
    const task = { rule, routes: ruleSet.routes, windows, dueFromAt, tick, onEvaluated };
    const own = unread.get(rule.id);
    const whole = stored.get(rule.id)?.find(({ segment }) => segment === null);
    if (own) return saveUnreadable(own, whole, task, deps);
    const known = stored.get(rule.id) ?? [];
    return failingAlone(whole, task, deps, () => saveComposite({ members, known }, task, alerts));
  });
  return (await Promise.all(saved)).flat();
}

interface Composite {
  members: Member[];
  known: Alert[];
}

/** Saves segments first and the rule itself last, so that segments are stored for all windows it calls evaluated. */
async function saveComposite(
  { members, known }: Composite,
  due: CompositeTask,
  alerts: AlertStore,
): Promise<Alert[]> {
  const { rule } = due;
  const isSegmented = rule.group_by !== undefined;
  const open = openSegments(known);
  const segments = isSegmented ? [...new Set([...open, ...firedSegments(members)])].sort() : open;
  const membersFor = (segment: string) => members.map((member) => ofSegment(member, segment));
  const atRest = members.map((member) => ({ ...member, series: [] }));
  const evaluated = segments.length > 0 ? segments.map(membersFor) : [atRest];
  const task = throughLastEvaluated(due, isSegmented ? evaluated : [members]);

  const save = (segment: string | null, decide: (fresh: Alert) => Alert) =>
    saveAlert(
      { ruleId: rule.id, segment },
      known.find((alert) => alert.segment === segment),
      alerts,
      (stored) => decide(freshAlert(stored, { ruleId: rule.id, segment }, task)),
    );
  const series = await Promise.all(
    segments.map((segment) =>
      // If a change removed the segments of the rule, their open alerts end.
      save(segment, (fresh) => (isSegmented ? evaluate(fresh, membersFor(segment), task) : fresh)),
    ),
  );
  const whole = await save(null, (fresh) =>
    updateHealth(isSegmented ? fresh : evaluate(fresh, members, task), { kind: 'evaluated' }, task),
  );
  return [...series, whole];
}

/**
 * The task up to the last window that any of these groups has evaluated. Later windows wait. Earlier windows without an
 * evaluation are skipped, so that a member that stays broken does not block the rule.
 */
function throughLastEvaluated(task: CompositeTask, groups: Member[][]): CompositeTask {
  const { rule, windows } = task;
  const isEvaluated = (window: Window) =>
    groups.some((members) => evaluateMembers(rule, window, members) !== undefined);
  return { ...task, windows: windows.slice(0, windows.findLastIndex(isEvaluated) + 1) };
}

function evaluate(fresh: Alert, members: Member[], task: CompositeTask): Alert {
  const { rule, routes, windows, tick, onEvaluated } = task;
  return windows.reduce((alert, window) => {
    const evaluation = evaluateMembers(rule, window, members);
    if (!evaluation) return alert;
    const firedWindowEndAt = alert.fired?.windowEndAt ?? null;
    const about = { windowEndAt: window.endAt, evaluation, firedWindowEndAt, tick };
    const step = advance(alert, evaluation, rule);
    if (window.endAt > alert.evaluatedThroughAt) onEvaluated?.(alert, evaluation, step.alert.state);
    return queueNews(step, rule, routes, about);
  }, fresh);
}

/** Segments that fire, or did recently. */
function firedSegments(members: Member[]): string[] {
  return members.flatMap(({ series }) =>
    series.flatMap(({ segment, fired, changes }) =>
      segment !== null && (fired || changes.length > 0) ? [segment] : [],
    ),
  );
}
