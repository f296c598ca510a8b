import type { Memory } from '../evaluation/baseline.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Rule } from '../rules/rule.ts';
import type { Window } from '../time/window.ts';
import { type Alert, quiet, type Step } from './alert.ts';
import { acceptedAt, calendarOf, end, follow, retract, verdictOn } from './alert-states.ts';
import { isAtZero, withLasted } from './at-zero.ts';
import { breachingRun, remembered, withVerdict } from './evaluated-windows.ts';
import { suppressFlapping } from './flapping.ts';
import { withNewest, withReread } from './last-windows.ts';
import { countNoData } from './no-data.ts';

/**
 * Updates an alert for one evaluated window. An inconclusive evaluation changes nothing, so that a failure is never an
 * all-clear. A window that was evaluated before changes nothing.
 */
export function advance(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window } = evaluation.current;
  if (window.endAt <= alert.evaluatedThroughAt) return quiet(alert);
  const updated = { ...alert, last: evaluation };
  // Data may still arrive: the next run queries the window again.
  if (evaluation.gates.some(({ gate, passed }) => gate === 'fresh' && !passed)) return quiet(updated);

  const verdict = verdictOn(alert, evaluation, rule);
  const evaluated = { endAt: window.endAt, verdict };
  const recent = remembered([...alert.recent, evaluated], window, rule);
  const counted = {
    ...withLasted(updated, evaluation),
    lastWindows: withNewest(alert.lastWindows, evaluation),
  };
  const step = follow({ ...counted, evaluatedThroughAt: window.endAt, recent }, evaluation, rule);
  return suppressFlapping(countNoData(step, evaluation, rule), window.endAt, calendarOf(rule));
}

/**
 * Re-evaluates a window that was read again (`evaluation`, made with `memoryAt`). The new verdict replaces the old one
 * as if it had been there from the start: an alert may fire late, recover or be retracted. Only the shown value changes
 * if the verdict is the same. Nothing changes if it is inconclusive, or if the window is from before the alert last ended.
 */
export function restate(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const {
    current: { window },
    verdict,
  } = evaluation;
  const before = alert.recent.find(({ endAt }) => endAt === window.endAt);
  if (!before) return quiet(alert);
  if (verdict !== 'breached' && verdict !== 'clear') return quiet(alert);
  const isLast = alert.last?.current.window.endAt === window.endAt;
  const lastWindows = withReread(alert.lastWindows, evaluation);
  const isSame = !isLast && lastWindows === alert.lastWindows;
  const updated = isSame ? alert : { ...alert, lastWindows, ...(isLast && { last: evaluation }) };
  const now = { endAt: window.endAt, verdict: verdictOn(alert, evaluation, rule) };
  if (now.verdict === before.verdict) return quiet(updated);
  const next = { ...updated, recent: withVerdict(alert.recent, now) };
  return suppressFlapping(reconsider(next, evaluation, rule), alert.evaluatedThroughAt, calendarOf(rule));
}

/** The memory of `alert` when it evaluated `window`; later fires are excluded. */
export function memoryAt(alert: Alert, { endAt }: Window): Memory {
  const { fired, suspected, incidents, levelSinceAt, seenSinceAt } = alert;
  if (fired && endAt > fired.windowEndAt) return alert;
  const frozen = fired ? { ...fired, windowEndAt: fired.firstEndAt } : suspected;
  return {
    fired: null,
    suspected: frozen && endAt >= frozen.windowEndAt ? frozen : null,
    incidents: fired ? incidents.slice(0, -1) : incidents,
    levelSinceAt,
    seenSinceAt,
  };
}

/** Ends of the windows that an open alert depends on, oldest first. */
export function openBreaches({ fired, recent }: Alert): number[] {
  if (!fired) return [];
  return recent
    .filter(({ endAt, verdict }) => verdict === 'breached' && endAt >= fired.firstEndAt)
    .map(({ endAt }) => endAt);
}

/**
 * Updates an alert for a window without a result: its segment is no longer queried. A firing alert is held, as the
 * segment may come back, but unless it was at 0 not for longer than a level that lasts. A pending alert is reset, and
 * flapping ends.
 */
export function advanceUnseen(alert: Alert, window: Window, rule: Rule): Step {
  const { fired, state, flappingSinceAt } = alert;
  const isAtRest = state === 'normal' && flappingSinceAt === null;
  const isKept = isAtRest || (fired && (isAtZero(fired, rule) || window.endAt < acceptedAt(fired, rule)));
  if (isKept || window.endAt <= alert.evaluatedThroughAt) return quiet(alert);
  const evaluated = { ...alert, evaluatedThroughAt: window.endAt };
  if (!fired) return suppressFlapping(quiet(calmed(evaluated)), window.endAt, calendarOf(rule));
  const step = end(evaluated, window.endAt, {
    transition: 'recovered',
    reason: { code: 'segment-unlisted' },
  });
  return suppressFlapping(step, window.endAt, calendarOf(rule));
}

/** A non-firing alert at rest; earlier breaches no longer count. */
function calmed(alert: Alert): Alert {
  if (alert.state === 'normal') return alert;
  return { ...alert, state: 'normal', stateSinceAt: alert.evaluatedThroughAt, suspected: null, recent: [] };
}

/** An alert with one changed verdict. First check whether it still fires, then whether it has ended. */
function reconsider(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { fired, recent } = alert;
  if (!fired) return follow(alert, evaluation, rule);
  const isRemembered = recent.some(({ endAt }) => endAt === fired.firstEndAt);
  const stands = breachingRun(
    recent.filter(({ endAt }) => endAt >= fired.firstEndAt),
    rule.fire_after,
  );
  if (!isRemembered || stands)
    return evaluation.current.window.endAt > fired.windowEndAt
      ? follow(alert, evaluation, rule)
      : quiet(alert);
  return retract(alert, fired, evaluation, rule);
}
