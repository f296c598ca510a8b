import type { Alert, Fired, Transition } from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import type { Rule } from './rule.ts';
import { type Calendar, endAfter, type Grain, type Window, windowEnding } from './window.ts';

/** Windows after which a level that an alert fired on is no longer an incident. */
const ACCEPTED_AFTER: Record<Grain, number> = { hour: 168, day: 14, week: 4, month: 3 };

/** Incidents an alert remembers: some months of them, for all but the worst series. */
const REMEMBERED_INCIDENTS = 10;

/** What a step of the lifecycle brought: the alert as it is now, and what there is to tell, if anything. */
export interface Step {
  alert: Alert;
  transition?: Transition;
  /** Why the alert is where it is. */
  reason: string;
}

/**
 * Moves an alert on by one judged window. An evaluation that could not tell leaves everything as it is, so that
 * a failure is never taken for "all clear"; a window that was judged before changes nothing.
 */
export function advance(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  if (evaluation.window.endAt <= alert.judgedThroughAt) return { alert, reason: 'already judged' };
  const looked = { ...alert, last: evaluation };
  // Data may still come: the window is asked for again at the next tick.
  if (evaluation.gates.some(({ gate, passed }) => gate === 'fresh' && !passed))
    return { alert: looked, reason: evaluation.reason };

  const judged = { ...looked, judgedThroughAt: evaluation.window.endAt };
  if (alert.fired) return advanceFired(judged, alert.fired, evaluation, rule);
  if (evaluation.verdict === 'breached') return breach(judged, evaluation, rule);
  if (evaluation.verdict === 'clear' || isVanished(alert, evaluation)) return calm(judged, evaluation, rule);
  return { alert: judged, reason: `held: ${evaluation.reason}` };
}

/** A breach counts towards firing, on the baseline of the first: the second is no better for having become usual. */
function breach(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const recent = recentWith(alert, 'breached', rule.fire_after.windows);
  const suspected = alert.suspected ?? firedOn(evaluation);
  const reason = evaluation.reason;
  if (hitsIn(recent, 'breached') < rule.fire_after.hits)
    return { alert: enter({ ...alert, recent, suspected }, 'pending', evaluation), reason };

  const { startAt } = windowEnding(suspected.windowEndAt, calendarOf(rule));
  const incident = { startAt, endAt: evaluation.window.endAt };
  const firing: Alert = {
    ...enter(alert, 'firing', evaluation),
    fired: { ...suspected, windowEndAt: evaluation.window.endAt, direction: firedOn(evaluation).direction },
    suspected: null,
    incidents: [...alert.incidents, incident].slice(-REMEMBERED_INCIDENTS),
    recent: [],
  };
  return { alert: firing, transition: 'fired', reason };
}

function calm(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const recent = recentWith(alert, 'clear', rule.fire_after.windows);
  const isPending = hitsIn(recent, 'breached') > 0;
  const next = { ...alert, recent, suspected: isPending ? alert.suspected : null };
  return { alert: enter(next, isPending ? 'pending' : 'normal', evaluation), reason: evaluation.reason };
}

function advanceFired(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const { verdict, window, reason } = evaluation;
  if (isVanished(alert, evaluation)) return recover(alert, evaluation, rule, 'the segment vanished');
  if (verdict === 'clear' && evaluation.recovered)
    return recover(
      alert,
      evaluation,
      rule,
      `back to where it was before ${new Date(fired.windowEndAt).toISOString()}`,
    );

  if (window.endAt >= acceptedAt(fired, rule)) return accept(alert, evaluation, rule);
  const open = lasting(alert, evaluation);
  if (verdict !== 'breached') return { alert: open, reason: `held: ${reason}` };
  const recent = recentWith(alert, 'breached', rule.recover_after.windows);
  return { alert: enter({ ...open, recent }, 'firing', evaluation), reason };
}

function recover(alert: Alert, evaluation: Evaluation, rule: Rule, reason: string): Step {
  const recent = recentWith(alert, 'clear', rule.recover_after.windows);
  if (hitsIn(recent, 'clear') < rule.recover_after.hits)
    return { alert: enter({ ...alert, recent }, 'recovering', evaluation), reason: evaluation.reason };
  const ended = { ...enter(alert, 'normal', evaluation), fired: null, recent: [] };
  return { alert: ended, transition: 'recovered', reason };
}

/**
 * The level has come to stay: it is a measure again, and the frozen baseline is given up. An alert that fired for
 * ever would be deaf to whatever happens next.
 */
function accept(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const ended = { ...enter(alert, 'normal', evaluation), fired: null, recent: [] };
  return {
    alert: { ...ended, incidents: alert.incidents.slice(0, -1) },
    transition: 'accepted',
    reason: `it has lasted for ${ACCEPTED_AFTER[rule.window]} windows and is taken for the usual level from now on`,
  };
}

/**
 * Moves an alert on by a window of which nothing is known: its segment is no longer among those that are asked for. It
 * may come back, so it is held; but not for longer than a level that stays.
 */
export function advanceUnseen(alert: Alert, window: Window, rule: Rule): Step {
  if (!alert.fired || window.endAt <= alert.judgedThroughAt || window.endAt < acceptedAt(alert.fired, rule))
    return { alert, reason: 'not among the segments that are asked for' };
  const reason = 'it is no longer among the segments that are asked for, and nothing is known of it';
  const ended: Alert = { ...alert, state: 'normal', stateSinceAt: window.endAt, fired: null, recent: [] };
  return { alert: { ...ended, judgedThroughAt: window.endAt }, transition: 'recovered', reason };
}

/** A segment without data has gone: there is nobody left to be in trouble. */
function isVanished(alert: Alert, { verdict }: Evaluation): boolean {
  return verdict === 'no-data' && alert.segment !== null;
}

function acceptedAt(fired: Fired, rule: Rule): number {
  return endAfter(fired.windowEndAt, ACCEPTED_AFTER[rule.window], calendarOf(rule));
}

/** The open incident reaches to this window. */
function lasting(alert: Alert, { window }: Evaluation): Alert {
  const open = alert.incidents.at(-1);
  if (!open) return alert;
  return { ...alert, incidents: [...alert.incidents.slice(0, -1), { ...open, endAt: window.endAt }] };
}

function enter(alert: Alert, state: Alert['state'], { window }: Evaluation): Alert {
  return alert.state === state ? alert : { ...alert, state, stateSinceAt: window.endAt };
}

function firedOn({ window, baselineWindow, origin, baseline, difference }: Evaluation): Fired {
  return {
    windowEndAt: window.endAt,
    baselineWindow,
    origin,
    baseline,
    direction: (difference ?? 0) < 0 ? 'down' : 'up',
  };
}

function hitsIn(recent: Alert['recent'], kind: Alert['recent'][number]): number {
  return recent.filter((each) => each === kind).length;
}

/** The last `windows` verdicts, with this one. */
function recentWith(alert: Alert, verdict: Alert['recent'][number], windows: number): Alert['recent'] {
  return [...alert.recent, verdict].slice(-windows);
}

function calendarOf({ window: grain, zone }: Rule): Calendar {
  return { grain, zone };
}
