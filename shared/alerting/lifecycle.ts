import { type Alert, type Fired, type Judged, type News, quiet, type Step } from './alert.ts';
import type { Memory } from './baseline.ts';
import type { Evaluation } from './evaluation.ts';
import { collapse } from './flapping.ts';
import { breachingRun, hitsIn, lastCounted, rejudged, remembered } from './judged-windows.ts';
import { countNoData } from './no-data.ts';
import type { Rule } from './rule.ts';
import { type Calendar, endAfter, type Grain, type Window, windowEnding } from './window.ts';

/** Windows after which a level that an alert fired on is no longer an incident. */
const ACCEPTED_AFTER: Record<Grain, number> = { hour: 168, day: 14, week: 4, month: 3 };

/** Incidents an alert remembers: some months of them, for all but the worst series. */
const REMEMBERED_INCIDENTS = 10;

/**
 * Moves an alert on by one judged window. An evaluation that could not tell leaves everything as it is, so that
 * a failure is never taken for "all clear"; a window that was judged before changes nothing.
 */
export function advance(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window } = evaluation;
  if (window.endAt <= alert.judgedThroughAt) return quiet(alert, 'already judged');
  const looked = { ...alert, last: evaluation };
  // Data may still come: the window is asked for again at the next tick.
  if (evaluation.gates.some(({ gate, passed }) => gate === 'fresh' && !passed))
    return quiet(looked, evaluation.reason);

  const judged = [...alert.recent, { endAt: window.endAt, verdict: verdictOn(alert, evaluation) }];
  const recent = remembered(judged, window, rule);
  const step = follow({ ...looked, judgedThroughAt: window.endAt, recent }, evaluation, rule);
  return collapse(countNoData(step, evaluation, rule), window.endAt, calendarOf(rule));
}

/**
 * Judges a window once more that was judged before and has been read again (`evaluation`, made with what `memoryAt` says).
 * The new verdict takes the place of the old one, as if it had been so from the beginning: an alert may fire late,
 * recover, or be retracted. Nothing changes where the verdict is the same, cannot be told, or is of a window from before
 * the alert last ended.
 */
export function restate(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window, verdict, reason } = evaluation;
  const before = alert.recent.find(({ endAt }) => endAt === window.endAt);
  if (!before) return quiet(alert, 'too old to be judged again');
  if (verdict !== 'breached' && verdict !== 'clear') return quiet(alert, `held: ${reason}`);
  const looked = alert.last?.window.endAt === window.endAt ? { ...alert, last: evaluation } : alert;
  const now = { endAt: window.endAt, verdict: verdictOn(alert, evaluation) };
  if (now.verdict === before.verdict) return quiet(looked, reason);
  const next = { ...looked, recent: rejudged(alert.recent, now) };
  return collapse(reconsider(next, evaluation, rule), alert.judgedThroughAt, calendarOf(rule));
}

/** What `alert` remembered when it judged `window`: what it fired on since was no measure then. */
export function memoryAt(alert: Alert, { endAt }: Window): Memory {
  const { fired, suspected, incidents } = alert;
  if (fired && endAt > fired.windowEndAt) return alert;
  const frozen = fired ? { ...fired, windowEndAt: fired.firstEndAt } : suspected;
  return {
    fired: null,
    suspected: frozen && endAt >= frozen.windowEndAt ? frozen : null,
    incidents: fired ? incidents.slice(0, -1) : incidents,
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
 * Ends an alert because the level that it fired on is the usual one from now on (`at`: since when). It is a measure
 * again, and the frozen baseline is given up: an alert that fired for ever would be deaf to whatever happens next.
 */
export function acceptLevel(alert: Alert, at: number, reason: string): Step {
  if (!alert.fired) return quiet(alert, 'it does not fire');
  return end({ ...alert, incidents: alert.incidents.slice(0, -1) }, at, { transition: 'accepted', reason });
}

/**
 * Moves an alert on by a window of which nothing is known: its segment is no longer among those that are asked for. It
 * may come back, so it is held; but not for longer than a level that stays.
 */
export function advanceUnseen(alert: Alert, window: Window, rule: Rule): Step {
  if (!alert.fired || window.endAt <= alert.judgedThroughAt || window.endAt < acceptedAt(alert.fired, rule))
    return quiet(alert, 'not among the segments that are asked for');
  const reason = 'it is no longer among the segments that are asked for, and nothing is known of it';
  const judged = { ...alert, judgedThroughAt: window.endAt };
  const step = end(judged, window.endAt, { transition: 'recovered', reason });
  return collapse(step, window.endAt, calendarOf(rule));
}

function follow(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  return alert.fired
    ? followOpen(alert, alert.fired, evaluation, rule)
    : followClosed(alert, evaluation, rule);
}

/** A breach counts towards firing, on the baseline of the first: the second is no better for having become usual. */
function followClosed(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { window, reason } = evaluation;
  const verdict = verdictOn(alert, evaluation);
  if (verdict === 'held') return quiet(alert, `held: ${reason}`);
  const run = verdict === 'breached' && breachingRun(alert.recent, rule.fire_after, window.endAt);
  if (run) return fire(alert, run, evaluation, rule);
  const first = lastCounted(alert.recent, rule.fire_after.windows).find(isBreach);
  const suspected = first ? suspicion(alert, first, evaluation) : null;
  return quiet(enter({ ...alert, suspected }, first ? 'pending' : 'normal', evaluation), reason);
}

function fire(alert: Alert, run: Judged[], evaluation: Evaluation, rule: Rule): Step {
  const breaches = run.filter(isBreach).map(({ endAt }) => endAt);
  const firstEndAt = Math.min(...breaches);
  const windowEndAt = Math.max(...breaches);
  const suspected = suspicion(alert, { endAt: firstEndAt, verdict: 'breached' }, evaluation);
  const { startAt } = windowEnding(Math.min(suspected.windowEndAt, firstEndAt), calendarOf(rule));
  const firing: Alert = {
    ...enter(alert, 'firing', evaluation),
    fired: { ...suspected, windowEndAt, firstEndAt, direction: firedOn(evaluation).direction },
    suspected: null,
    incidents: withIncident(alert.incidents, { startAt, endAt: windowEndAt }),
    // What was judged before a late breach was found says nothing of whether it is over.
    recent: alert.recent.filter(({ endAt }) => endAt <= windowEndAt),
  };
  const { reason } = evaluation;
  return { alert: firing, news: [{ transition: 'fired', reason }], reason };
}

function followOpen(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const { window, reason } = evaluation;
  const verdict = verdictOn(alert, evaluation);
  const since = lastCounted(
    alert.recent.filter(({ endAt }) => endAt > fired.windowEndAt),
    rule.recover_after.windows,
  );
  if (hitsIn(since, 'clear') >= rule.recover_after.hits)
    return end(alert, window.endAt, { transition: 'recovered', reason: recoveryReason(fired, evaluation) });
  if (verdict !== 'clear' && window.endAt >= acceptedAt(fired, rule)) {
    const lasted = `it has lasted for ${ACCEPTED_AFTER[rule.window]} windows`;
    return acceptLevel(alert, window.endAt, `${lasted} and is taken for the usual level from now on`);
  }
  const state = since.at(-1)?.verdict === 'clear' ? 'recovering' : 'firing';
  const next = enter(verdict === 'clear' ? alert : lasting(alert, evaluation), state, evaluation);
  return quiet(next, verdict === 'held' ? `held: ${reason}` : reason);
}

/** An alert of which one verdict has changed: whether it still stands comes before whether it is over. */
function reconsider(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { fired, recent } = alert;
  if (!fired) return followClosed(alert, evaluation, rule);
  const isRemembered = recent.some(({ endAt }) => endAt === fired.firstEndAt);
  const stands = breachingRun(
    recent.filter(({ endAt }) => endAt >= fired.firstEndAt),
    rule.fire_after,
  );
  if (!isRemembered || stands)
    return evaluation.window.endAt > fired.windowEndAt
      ? followOpen(alert, fired, evaluation, rule)
      : quiet(alert, 'it stands without this window');
  return retract(alert, fired, evaluation, rule);
}

/** There was no incident, so nothing is kept of it but a breach that may yet count. */
function retract(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const unfired: Alert = {
    ...alert,
    fired: null,
    suspected: { ...fired, windowEndAt: fired.firstEndAt },
    incidents: alert.incidents.slice(0, -1),
  };
  const reason = `read again, the window does not breach: ${evaluation.reason}`;
  const { alert: next } = followClosed(unfired, evaluation, rule);
  return { alert: next, news: [{ transition: 'retracted', reason }], reason };
}

function end(alert: Alert, at: number, news: News): Step {
  const ended: Alert = { ...alert, state: 'normal', stateSinceAt: at, fired: null, recent: [] };
  return { alert: ended, news: [news], reason: news.reason };
}

/** What a window counts as: in an open alert a clear one only if it is back inside the bounds of recovery. */
function verdictOn({ fired, segment }: Alert, { verdict, recovered, window }: Evaluation): Judged['verdict'] {
  // A segment without data has gone: there is nobody left to be in trouble.
  const isVanished = verdict === 'no-data' && segment !== null;
  if (verdict === 'breached') return 'breached';
  const asksRecovery = fired !== null && window.endAt > fired.windowEndAt;
  return isVanished || (verdict === 'clear' && (recovered || !asksRecovery)) ? 'clear' : 'held';
}

/** What is suspected with `first` as the first breach that counts. */
function suspicion(alert: Alert, first: Judged, evaluation: Evaluation): Fired {
  const { suspected } = alert;
  const { endAt } = evaluation.window;
  const isFirst = evaluation.verdict === 'breached' && endAt === first.endAt;
  if (!suspected || (isFirst && endAt < suspected.windowEndAt)) return firedOn(evaluation);
  if (suspected.windowEndAt !== endAt || isFirst) return suspected;
  return { ...suspected, windowEndAt: first.endAt, firstEndAt: first.endAt };
}

function recoveryReason({ windowEndAt }: Fired, { verdict }: Evaluation): string {
  if (verdict === 'no-data') return 'the segment vanished';
  return `back to where it was before ${new Date(windowEndAt).toISOString()}`;
}

function acceptedAt(fired: Fired, rule: Rule): number {
  // That rules fire is no level: it lasts as long as theirs do.
  if (rule.members) return Infinity;
  return endAfter(fired.windowEndAt, ACCEPTED_AFTER[rule.window], calendarOf(rule));
}

/** The open incident reaches to this window. */
function lasting(alert: Alert, { window }: Evaluation): Alert {
  const open = alert.incidents.at(-1);
  if (!open || open.endAt >= window.endAt) return alert;
  return { ...alert, incidents: [...alert.incidents.slice(0, -1), { ...open, endAt: window.endAt }] };
}

/** One that began while another rule of this id watched the same goes on. */
function withIncident(incidents: Window[], { startAt, endAt }: Window): Window[] {
  const last = incidents.at(-1);
  if (!last || last.endAt <= startAt) return [...incidents, { startAt, endAt }].slice(-REMEMBERED_INCIDENTS);
  const merged = { startAt: Math.min(last.startAt, startAt), endAt: Math.max(last.endAt, endAt) };
  return [...incidents.slice(0, -1), merged];
}

function enter(alert: Alert, state: Alert['state'], { window }: Evaluation): Alert {
  return alert.state === state ? alert : { ...alert, state, stateSinceAt: window.endAt };
}

function firedOn({ window, baselineWindow, origin, baseline, difference }: Evaluation): Fired {
  return {
    windowEndAt: window.endAt,
    firstEndAt: window.endAt,
    baselineWindow,
    origin,
    baseline,
    direction: (difference ?? 0) < 0 ? 'down' : 'up',
  };
}

function isBreach({ verdict }: Judged): boolean {
  return verdict === 'breached';
}

function calendarOf({ window: grain, zone }: Rule): Calendar {
  return { grain, zone };
}
