import type { HealthReason, Reason } from '../evaluation/reason.ts';
import { type Alert, type Health, quiet, type Step } from './alert.ts';
import type { Transition } from './transitions.ts';

/** Consecutive failed runs after which a rule counts as broken. */
const BROKEN_AFTER = 5;

/** A notification is sent after a rule lacks calls for this long. */
const STALLED_AFTER_MS = 6 * 3_600_000;

/**
 * The outcome of a run for a rule as a whole: `stale`: no fresh data; `inconclusive`: no calls left; `progressed`:
 * some windows were evaluated nevertheless.
 */
export type Outcome =
  | { kind: 'evaluated' }
  | { kind: 'stale' | 'inconclusive' | 'failed'; reason: HealthReason; progressed: boolean };

/**
 * Updates the rule's health for one run (`scheduledAt`). Sends a notification for the first failure of a streak, for
 * the fifth, from which the rule counts as broken, for a stalled rule, and for the success that ends the streak. A
 * stale app has its own alert, so its rules send nothing. The same run again has no effect, unless it succeeds.
 */
export function advanceHealth(alert: Alert, outcome: Outcome, scheduledAt: number): Step {
  const before = alert.health;
  const through = before.kind === 'ok' ? -Infinity : before.through;
  const isGood = outcome.kind === 'evaluated';
  if (isGood ? before.kind === 'ok' || through > scheduledAt : through >= scheduledAt) return quiet(alert);
  const { health, transition } = afterRun(before, outcome, scheduledAt);
  const reason: Reason = outcome.kind === 'evaluated' ? { code: 'evaluated-again' } : outcome.reason;
  return { alert: { ...alert, health }, news: transition ? [{ transition, reason }] : [] };
}

function afterRun(before: Health, outcome: Outcome, at: number): { health: Health; transition?: Transition } {
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
