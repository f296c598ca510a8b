import type { Memory } from '../evaluation/baseline.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Rule } from '../rules/rule.ts';
import type { Window } from '../time/window.ts';
import { type Alert, quiet, type Step } from './alert.ts';
import { acceptedAt, calendarOf, end, follow, retract, verdictOn } from './alert-states.ts';
import { isAtZero, withLasted } from './at-zero.ts';
import { breachingRun, rejudged, remembered } from './evaluated-windows.ts';
import { collapse } from './flapping.ts';
import { countNoData } from './no-data.ts';

/**
 * Moves an alert on by one judged window. An evaluation that could not tell leaves everything as it is, so that
 * a failure is never taken for "all clear"; a window that was judged before changes nothing.
 */
export function advance(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window } = evaluation;
  if (window.endAt <= alert.evaluatedThroughAt) return quiet(alert);
  const looked = { ...alert, last: evaluation };
  // Data may still come: the window is asked for again at the next tick.
  if (evaluation.gates.some(({ gate, passed }) => gate === 'fresh' && !passed)) return quiet(looked);

  const verdict = verdictOn(alert, evaluation, rule);
  const evaluated = { endAt: window.endAt, verdict };
  const recent = remembered([...alert.recent, evaluated], window, rule);
  const counted = withLasted(looked, evaluation);
  const step = follow({ ...counted, evaluatedThroughAt: window.endAt, recent }, evaluation, rule);
  return collapse(countNoData(step, evaluation, rule), window.endAt, calendarOf(rule));
}

/**
 * Judges a window once more that was judged before and has been read again (`evaluation`, made with what `memoryAt` says).
 * The new verdict takes the place of the old one, as if it had been so from the beginning: an alert may fire late,
 * recover, or be retracted. Nothing changes where the verdict is the same, cannot be told, or is of a window from before
 * the alert last ended.
 */
export function restate(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window, verdict } = evaluation;
  const before = alert.recent.find(({ endAt }) => endAt === window.endAt);
  if (!before) return quiet(alert);
  if (verdict !== 'breached' && verdict !== 'clear') return quiet(alert);
  const looked = alert.last?.window.endAt === window.endAt ? { ...alert, last: evaluation } : alert;
  const now = { endAt: window.endAt, verdict: verdictOn(alert, evaluation, rule) };
  if (now.verdict === before.verdict) return quiet(looked);
  const next = { ...looked, recent: rejudged(alert.recent, now) };
  return collapse(reconsider(next, evaluation, rule), alert.evaluatedThroughAt, calendarOf(rule));
}

/** What `alert` remembered when it judged `window`: what it fired on since was no measure then. */
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

/** Ends of the windows that an open alert stands on, oldest first: if they change, so may it. */
export function openBreaches({ fired, recent }: Alert): number[] {
  if (!fired) return [];
  return recent
    .filter(({ endAt, verdict }) => verdict === 'breached' && endAt >= fired.firstEndAt)
    .map(({ endAt }) => endAt);
}

/**
 * Moves an alert on by a window of which nothing is known: its segment is no longer among those that are asked for. It
 * may come back, so it is held while it fires; but, unless it was at 0, not for longer than a level that stays. What was only pending is at
 * rest, and one that flapped becomes quiet.
 */
export function advanceUnseen(alert: Alert, window: Window, rule: Rule): Step {
  const { fired, state, flappingSinceAt } = alert;
  const isAtRest = state === 'normal' && flappingSinceAt === null;
  const isKept = isAtRest || (fired && (isAtZero(fired, rule) || window.endAt < acceptedAt(fired, rule)));
  if (isKept || window.endAt <= alert.evaluatedThroughAt) return quiet(alert);
  const evaluated = { ...alert, evaluatedThroughAt: window.endAt };
  if (!fired) return collapse(quiet(calmed(evaluated)), window.endAt, calendarOf(rule));
  const step = end(evaluated, window.endAt, {
    transition: 'recovered',
    reason: { code: 'segment-unlisted' },
  });
  return collapse(step, window.endAt, calendarOf(rule));
}

/** An alert that did not fire, at rest; the breaches from before count no longer. */
function calmed(alert: Alert): Alert {
  if (alert.state === 'normal') return alert;
  return { ...alert, state: 'normal', stateSinceAt: alert.evaluatedThroughAt, suspected: null, recent: [] };
}

/** An alert of which one verdict has changed: whether it still stands comes before whether it is over. */
function reconsider(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { fired, recent } = alert;
  if (!fired) return follow(alert, evaluation, rule);
  const isRemembered = recent.some(({ endAt }) => endAt === fired.firstEndAt);
  const stands = breachingRun(
    recent.filter(({ endAt }) => endAt >= fired.firstEndAt),
    rule.fire_after,
  );
  if (!isRemembered || stands)
    return evaluation.window.endAt > fired.windowEndAt ? follow(alert, evaluation, rule) : quiet(alert);
  return retract(alert, fired, evaluation, rule);
}
