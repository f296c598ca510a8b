import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Fired } from '../evaluation/fired.ts';
import type { Reason } from '../evaluation/reason.ts';
import { hasOwnLevel, type Rule } from '../rules/rule.ts';
import { type Calendar, endAfter, type Grain, type Window, windowEnding } from '../time/window.ts';
import { type Alert, type EvaluatedWindow, type News, quiet, type Step } from './alert.ts';
import { isAtZero, isAway, isBackFromZero } from './at-zero.ts';
import { breachingRun, hitsIn, lastCounted, withVerdict } from './evaluated-windows.ts';
import { hasVanished } from './no-data.ts';

/** Windows after which a level that fired becomes the new baseline. */
export const ACCEPTED_AFTER: Record<Grain, number> = { hour: 168, day: 14, week: 4, month: 3 };

/** Incidents that an alert remembers: some months for all but the noisiest series. */
export const REMEMBERED_INCIDENTS = 10;

/** The next state after the verdict on one window, which is already in `recent`. */
export function follow(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  return alert.fired
    ? followOpen(alert, alert.fired, evaluation, rule)
    : followClosed(alert, evaluation, rule);
}

/** A breach counts against the baseline of the first one: a level that lasts for two windows is not normal. */
function followClosed(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window } = evaluation.current;
  const verdict = verdictOn(alert, evaluation, rule);
  if (verdict === 'held') return quiet(alert);
  const run = verdict === 'breached' && breachingRun(alert.recent, rule.fire_after, window.endAt);
  if (run) return fire(alert, run, evaluation, rule);
  const first = lastCounted(alert.recent, rule.fire_after.windows).find(isBreach);
  const suspected = first ? suspicion(alert, first, evaluation) : null;
  return quiet(enter({ ...alert, suspected }, first ? 'pending' : 'normal', evaluation));
}

function fire(alert: Alert, run: EvaluatedWindow[], evaluation: Evaluation, rule: Rule): Step {
  const breaches = run.filter(isBreach).map(({ endAt }) => endAt);
  const firstEndAt = Math.min(...breaches);
  const windowEndAt = Math.max(...breaches);
  const suspected = suspicion(alert, { endAt: firstEndAt, verdict: 'breached' }, evaluation);
  const startsAt = Math.min(suspected.windowEndAt, firstEndAt);
  // The window may be a part of an hour, which no calendar has.
  const { startAt } =
    startsAt === evaluation.current.window.endAt
      ? evaluation.current.window
      : windowEnding(startsAt, calendarOf(rule));
  const firing: Alert = {
    ...enter(alert, 'firing', evaluation),
    fired: {
      ...{ ...suspected, windowEndAt, firstEndAt, direction: firedOn(evaluation).direction },
      fromRevision: alert.revision,
    },
    suspected: null,
    incidents: withIncident(alert.incidents, { startAt, endAt: windowEndAt }),
    // Windows evaluated before a late breach was found do not show a recovery.
    recent: alert.recent.filter(({ endAt }) => endAt <= windowEndAt),
  };
  return { alert: firing, news: [{ transition: 'fired', reason: { code: 'evaluation' } }] };
}

function followOpen(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const { window } = evaluation.current;
  const verdict = verdictOn(alert, evaluation, rule);
  const since = lastCounted(
    alert.recent.filter(({ endAt }) => endAt > fired.windowEndAt),
    rule.recover_after.windows,
  );
  if (hitsIn(since, 'clear') >= rule.recover_after.hits)
    return end(alert, window.endAt, { transition: 'recovered', reason: recoveryReason(fired, evaluation) });
  // A bound on the value, or the level of other segments, holds however long it is exceeded.
  const isLevel = isAway(evaluation) && !isAtZero(fired, rule) && !isMarked(alert) && hasOwnLevel(rule);
  if (isLevel && window.endAt >= acceptedAt(fired, rule)) {
    const reason = { code: 'level-lasted', windows: ACCEPTED_AFTER[rule.window] } as const;
    return acceptLevel(alert, window.endAt, reason);
  }
  const state = since.at(-1)?.verdict === 'clear' ? 'recovering' : 'firing';
  const next = enter(verdict === 'clear' ? alert : lasting(alert, evaluation), state, evaluation);
  return quiet(next);
}

/** Removes the incident, unless a person marked it. A breach that may still count is kept. */
export function retract(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const unfired: Alert = {
    ...unacknowledged(alert),
    fired: null,
    suspected: { ...fired, windowEndAt: fired.firstEndAt },
    incidents: isMarked(alert) ? alert.incidents : alert.incidents.slice(0, -1),
  };
  // An alert that is not open needs no recovery for a window to be clear.
  const now = { endAt: evaluation.current.window.endAt, verdict: verdictOn(unfired, evaluation, rule) };
  const recent = withVerdict(alert.recent, now);
  const { alert: next } = followClosed({ ...unfired, recent }, evaluation, rule);
  return { alert: next, news: [{ transition: 'retracted', reason: { code: 'not-confirmed' } }] };
}

/**
 * Ends an alert because its level becomes the new baseline (`at`: since when). The frozen baseline is dropped: an
 * alert that fires forever would miss every later change. Windows from before the new level leave the baseline, as the
 * shift would look like noise of that size.
 */
export function acceptLevel(alert: Alert, at: number, reason: Reason): Step {
  if (!alert.fired) return quiet(alert);
  const levelSinceAt = alert.incidents.at(-1)?.startAt ?? alert.levelSinceAt;
  const incidents = alert.incidents.slice(0, -1);
  const accepted = { ...alert, incidents, levelSinceAt, levelAcceptedAt: at };
  return end(accepted, at, { transition: 'accepted', reason });
}

/** Ends an alert whose cause was expected. Windows that end by `untilAt` enter no baseline. */
export function excuse(alert: Alert, untilAt: number, reason: Reason): Step {
  if (!alert.fired) return quiet(alert);
  const open = alert.incidents.at(-1);
  const incidents = open
    ? [...alert.incidents.slice(0, -1), { ...open, endAt: Math.max(open.endAt, untilAt) }]
    : alert.incidents;
  const excused = { ...alert, incidents, excusedUntilAt: untilAt };
  return end(excused, alert.evaluatedThroughAt, { transition: 'excused', reason });
}

/** Answers to a fire end with it. */
export function unacknowledged(alert: Alert): Alert {
  return { ...alert, acknowledged: null, snoozed: null };
}

/** Whether a person marked the fire as an incident. Then it never becomes the new baseline by itself. */
function isMarked({ answers, fired }: Alert): boolean {
  return answers.some(
    ({ answer, firedWindowEndAt }) => answer === 'incident' && firedWindowEndAt === fired?.windowEndAt,
  );
}

/** As on a holiday of the rule: a value of 0 is an outage on any day, and a recovery counts. */
function isExcused(
  { excusedUntilAt }: Pick<Alert, 'excusedUntilAt'>,
  { verdict, current }: Evaluation,
): boolean {
  const isWithin = excusedUntilAt !== null && current.window.endAt <= excusedUntilAt;
  return isWithin && verdict !== 'clear' && current.value !== 0;
}

/** Ends a firing alert (`at`: since when). Earlier windows are not evaluated again. */
export function end(alert: Alert, at: number, news: News): Step {
  const ended: Alert = {
    ...unacknowledged(alert),
    state: 'normal',
    stateSinceAt: at,
    fired: null,
    recent: [],
  };
  return { alert: ended, news: [news] };
}

/** How a window counts. In an open alert it is clear only if it is within the recovery bounds. */
export function verdictOn(alert: Alert, evaluation: Evaluation, rule: Rule): EvaluatedWindow['verdict'] {
  if (isExcused(alert, evaluation)) return 'held';
  const { fired, segment, noData } = alert;
  const {
    verdict,
    recovered,
    current: { window },
  } = evaluation;
  // A segment that stays without data is gone.
  const isVanished = verdict === 'no-data' && segment !== null && hasVanished(noData, rule);
  if (verdict === 'breached') return 'breached';
  if (fired && verdict === 'inconclusive' && isBackFromZero(fired, evaluation, rule)) return 'clear';
  const needsRecovery = fired !== null && window.endAt > fired.windowEndAt;
  return isVanished || (verdict === 'clear' && (recovered || !needsRecovery)) ? 'clear' : 'held';
}

/** The suspected fire with `first` as the first breach that counts. */
function suspicion(alert: Alert, first: EvaluatedWindow, evaluation: Evaluation): Fired {
  const { suspected } = alert;
  const { endAt } = evaluation.current.window;
  const isFirst = evaluation.verdict === 'breached' && endAt === first.endAt;
  if (!suspected || (isFirst && endAt < suspected.windowEndAt)) return firedOn(evaluation);
  if (suspected.windowEndAt !== endAt || isFirst) return suspected;
  return { ...suspected, windowEndAt: first.endAt, firstEndAt: first.endAt };
}

function recoveryReason({ windowEndAt }: Fired, { verdict }: Evaluation): Reason {
  if (verdict === 'no-data') return { code: 'segment-gone' };
  if (verdict === 'inconclusive') return { code: 'above-zero' };
  return { code: 'recovered', beforeAt: windowEndAt };
}

export function acceptedAt(fired: Fired, rule: Rule): number {
  // A composite rule has no level: it fires as long as its members do.
  if (rule.members) return Infinity;
  return endAfter(fired.windowEndAt, ACCEPTED_AFTER[rule.window], calendarOf(rule));
}

/** The open incident extends to this window. */
function lasting(alert: Alert, { current: { window } }: Evaluation): Alert {
  const open = alert.incidents.at(-1);
  if (!open || open.endAt >= window.endAt) return alert;
  return { ...alert, incidents: [...alert.incidents.slice(0, -1), { ...open, endAt: window.endAt }] };
}

/** An incident that began under an earlier rule with this id continues. */
function withIncident(incidents: Window[], { startAt, endAt }: Window): Window[] {
  const last = incidents.at(-1);
  if (!last || last.endAt <= startAt) return [...incidents, { startAt, endAt }].slice(-REMEMBERED_INCIDENTS);
  const merged = { startAt: Math.min(last.startAt, startAt), endAt: Math.max(last.endAt, endAt) };
  return [...incidents.slice(0, -1), merged];
}

function enter(alert: Alert, state: Alert['state'], { current: { window } }: Evaluation): Alert {
  return alert.state === state ? alert : { ...alert, state, stateSinceAt: window.endAt };
}

function firedOn(evaluation: Evaluation): Fired {
  const { current, baseline } = evaluation;
  return {
    windowEndAt: current.window.endAt,
    firstEndAt: current.window.endAt,
    baseline,
    direction: isFall(evaluation) ? 'down' : 'up',
    gap: gapOf(evaluation),
  };
}

/** Of a sum over several windows, if that is what is beyond the season. */
function gapOf({ surprise, current }: Evaluation): Fired['gap'] {
  if (!surprise || current.value === null) return null;
  const { expected, value } = surprise.sum ?? { expected: surprise.expected, value: current.value };
  return { from: expected, to: value };
}

/** Whether the value is below its baseline or, if it alone is bounded, below its bound. */
function isFall({ current, difference, gates }: Evaluation): boolean {
  const level = gates.find(({ code }) => code === 'outside-bounds');
  if (level?.code !== 'outside-bounds' || level.figures.baseline !== undefined) return (difference ?? 0) < 0;
  return (current.value ?? 0) < (level.bounds.current?.below ?? -Infinity);
}

function isBreach({ verdict }: EvaluatedWindow): boolean {
  return verdict === 'breached';
}

export function calendarOf({ window: grain, zone }: Rule): Calendar {
  return { grain, zone };
}
