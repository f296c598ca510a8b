import type { HealthReason, Reason } from '../evaluation/reason.ts';
import { type Alert, type Health, quiet, type Step } from './alert.ts';
import type { Transition } from './transitions.ts';

/** Failed ticks in a row after which a rule counts as broken. */
const BROKEN_AFTER = 5;

/** A rule that cannot be judged for this long for want of calls is told of. */
const STALLED_AFTER_MS = 6 * 3_600_000;

/**
 * How a tick went for a rule as a whole: `stale` for want of fresh data, `inconclusive` of calls; `progressed`: some of
 * its windows were judged all the same.
 */
export type Outcome =
  | { kind: 'evaluated' }
  | { kind: 'stale' | 'inconclusive' | 'failed'; reason: HealthReason; progressed: boolean };

/**
 * Moves the rule's health on by one tick (`scheduledAt`). Told are the first failure of a streak, the fifth, from which
 * the rule counts as broken, and a rule that stalls; a success heals what was told. A stale app has an alert of its own,
 * so its rules say nothing. The same tick again changes nothing.
 */
export function advanceHealth(alert: Alert, outcome: Outcome, scheduledAt: number): Step {
  const before = alert.health;
  if (before.kind !== 'ok' && before.through >= scheduledAt) return quiet(alert);
  if (before.kind === 'ok' && outcome.kind === 'evaluated') return quiet(alert);
  const { health, transition } = nextHealth(before, outcome, scheduledAt);
  const reason: Reason = outcome.kind === 'evaluated' ? { code: 'evaluated-again' } : outcome.reason;
  return { alert: { ...alert, health }, news: transition ? [{ transition, reason }] : [] };
}

function nextHealth(
  before: Health,
  outcome: Outcome,
  at: number,
): { health: Health; transition?: Transition } {
  const wasNotified = before.kind !== 'ok' && before.notified;
  switch (outcome.kind) {
    case 'evaluated':
      return { health: { kind: 'ok' }, ...(wasNotified && { transition: 'healed' as const }) };
    case 'stale':
    case 'inconclusive': {
      if (before.kind === 'broken') return { health: { ...before, through: at } };
      const wants = outcome.kind === 'stale' ? 'data' : 'calls';
      const goesOn = before.kind === 'inconclusive' && before.wants === wants && !outcome.progressed;
      const since = goesOn ? before.since : at;
      const isOver = wasNotified && outcome.progressed;
      const isStalled = wants === 'calls' && !wasNotified && at - since >= STALLED_AFTER_MS;
      const notified = isStalled || (wasNotified && !isOver);
      const { reason } = outcome;
      const health: Health = { kind: 'inconclusive', since, through: at, reason, notified, wants };
      const transition = isStalled ? 'stalled' : isOver ? 'healed' : undefined;
      return { health, ...(transition && { transition }) };
    }
    case 'failed': {
      const failing = before.kind === 'failing' || before.kind === 'broken';
      const streak = failing ? before.streak + 1 : 1;
      const kind = streak >= BROKEN_AFTER ? 'broken' : 'failing';
      const since = failing ? before.since : at;
      const notified = wasNotified || kind === 'broken';
      const health: Health = { kind, since, through: at, reason: outcome.reason, streak, notified };
      const transition = streak === 1 ? 'failing' : streak === BROKEN_AFTER ? 'broken' : undefined;
      return { health, ...(transition && { transition }) };
    }
  }
}
