import type { Alert, Fired, Health, Transition } from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import type { Rule } from './rule.ts';
import { endAfter, type Grain } from './window.ts';

/** Failed ticks in a row after which a rule counts as broken. */
const BROKEN_AFTER = 5;

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
  if (evaluation.verdict !== 'breached' && evaluation.verdict !== 'clear')
    return { alert: judged, reason: `held: ${evaluation.reason}` };
  return alert.fired
    ? advanceFired(judged, alert.fired, evaluation, rule)
    : advanceQuiet(judged, evaluation, rule);
}

function advanceQuiet(alert: Alert, evaluation: Evaluation, rule: Rule): Step {
  const { hits, windows } = rule.fire_after;
  const recent = [...alert.recent, evaluation.verdict === 'breached' ? 'breached' : 'clear'].slice(
    -windows,
  ) as Alert['recent'];
  const breaches = recent.filter((verdict) => verdict === 'breached').length;
  const next = { ...alert, recent };
  const reason = evaluation.reason;
  if (evaluation.verdict === 'breached' && breaches >= hits) {
    const fired = firedOn(evaluation);
    const incidents = [...next.incidents, evaluation.window].slice(-REMEMBERED_INCIDENTS);
    const firing = { ...enter(next, 'firing', evaluation), fired, incidents, recent: [] };
    return { alert: firing, transition: 'fired', reason };
  }
  return { alert: enter(next, breaches > 0 ? 'pending' : 'normal', evaluation), reason };
}

function advanceFired(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const reason = evaluation.reason;
  if (evaluation.recovered && evaluation.verdict !== 'breached')
    return recover(alert, fired, evaluation, rule);

  const open = lasting(alert, evaluation);
  const acceptedAt = endAfter(fired.windowEndAt, ACCEPTED_AFTER[rule.window], {
    grain: rule.window,
    zone: rule.zone,
  });
  if (evaluation.window.endAt >= acceptedAt) return accept(alert, evaluation, rule);
  if (evaluation.verdict === 'breached')
    return { alert: enter({ ...open, recent: [] }, 'firing', evaluation), reason };
  return { alert: open, reason: `held: ${reason}` };
}

function recover(alert: Alert, fired: Fired, evaluation: Evaluation, rule: Rule): Step {
  const { hits, windows } = rule.recover_after;
  const recent = [...alert.recent, 'clear' as const].slice(-windows);
  if (recent.length < hits)
    return { alert: enter({ ...alert, recent }, 'recovering', evaluation), reason: evaluation.reason };
  return {
    alert: { ...enter(alert, 'normal', evaluation), fired: null, recent: [] },
    transition: 'recovered',
    reason: `back to where it was before ${new Date(fired.windowEndAt).toISOString()}`,
  };
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

/** The open incident reaches to this window. */
function lasting(alert: Alert, { window }: Evaluation): Alert {
  const open = alert.incidents.at(-1);
  if (!open) return alert;
  return { ...alert, incidents: [...alert.incidents.slice(0, -1), { ...open, endAt: window.endAt }] };
}

function enter(alert: Alert, state: Alert['state'], { window }: Evaluation): Alert {
  return alert.state === state ? alert : { ...alert, state, stateSinceAt: window.endAt };
}

function firedOn({ window, baselineWindow, baseline, difference }: Evaluation): Fired {
  return {
    windowEndAt: window.endAt,
    baselineWindow,
    baseline,
    direction: (difference ?? 0) < 0 ? 'down' : 'up',
  };
}

/** How a tick went for a rule as a whole. */
export type Outcome = { kind: 'judged' } | { kind: 'inconclusive' | 'failed'; reason: string };

/**
 * Moves the rule's health on by one tick (`scheduledAt`). The first failure of a streak is told, and the fifth,
 * from which the rule counts as broken; a success heals it. The same tick again changes nothing.
 */
export function advanceHealth(alert: Alert, outcome: Outcome, scheduledAt: number): Step {
  const before = alert.health;
  if (before.kind !== 'ok' && before.through >= scheduledAt) return { alert, reason: 'already known' };
  const { health, transition } = nextHealth(before, outcome, scheduledAt);
  const reason = outcome.kind === 'judged' ? 'judged again' : outcome.reason;
  return { alert: { ...alert, health }, reason, ...(transition && { transition }) };
}

function nextHealth(
  before: Health,
  outcome: Outcome,
  at: number,
): { health: Health; transition?: Transition } {
  switch (outcome.kind) {
    case 'judged':
      return { health: { kind: 'ok' }, ...(before.kind === 'broken' && { transition: 'healed' as const }) };
    case 'inconclusive': {
      if (before.kind === 'failing' || before.kind === 'broken')
        return { health: { ...before, through: at } };
      const since = before.kind === 'inconclusive' ? before.since : at;
      return { health: { kind: 'inconclusive', since, through: at, reason: outcome.reason } };
    }
    case 'failed': {
      const failing = before.kind === 'failing' || before.kind === 'broken';
      const streak = failing ? before.streak + 1 : 1;
      const kind = streak >= BROKEN_AFTER ? 'broken' : 'failing';
      const health: Health = {
        kind,
        since: failing ? before.since : at,
        through: at,
        reason: outcome.reason,
        streak,
      };
      const told = streak === 1 ? 'failing' : streak === BROKEN_AFTER ? 'broken' : undefined;
      return { health, ...(told && { transition: told }) };
    }
  }
}
