import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Logger } from '../shared/runtime/logger.ts';
import { type Run, runsBetween, type System } from './system.ts';

/** How often pending notifications are sent, as in AWS. */
export const SWEEP_MS = 60_000;

export interface LiveOptions {
  system: System;
  clock: Clock;
  signal: AbortSignal;
  /** The time through which all ticks were run. */
  since: number;
  /** Runs to do first, such as those that were missed. */
  missed?: readonly Run[];
  /** Called after every run of a cadence, with its scheduled time. */
  onTick: (at: number) => Promise<void>;
  logger: Logger;
}

/**
 * Runs every cadence of the deployed rules on schedule and sends pending notifications every minute, until the
 * signal. Missed runs are done at once, in order. Newly deployed rules apply within a minute. Failures are logged
 * and retried after a minute. A failed run is dropped at the next run of its cadence, which catches up.
 */
export async function keepTime(options: LiveOptions): Promise<void> {
  const { system, clock, signal, since, missed = [], onTick, logger } = options;
  let doneThrough = since;
  let failed = missed;
  const succeeds = async (what: string, act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      logger.error(`${what} failed; retrying in a minute`, { error });
      return false;
    }
  };
  while (!signal.aborted) {
    const now = clock.now();
    await succeeds('evaluating the rules', async () => {
      const rules = (await system.rules.loadCurrent())?.rules ?? [];
      const due = [...failed, ...runsBetween(rules, doneThrough, now)];
      doneThrough = now;
      failed = due;
      for (const run of due) {
        if (signal.aborted) return;
        const { cadence, at } = run;
        const isDone = await succeeds(`the run of ${cadence} at ${new Date(at).toISOString()}`, () =>
          system.tick(cadence, at),
        );
        const isReplaced = due.some((other) => other.cadence === cadence && other.at > at);
        if (isDone || isReplaced) failed = failed.filter((each) => each !== run);
        if (isDone) await onTick(at);
      }
    });
    await succeeds('sending the messages', () => system.notify());
    await system.sendTestNotifications();
    await system.sendDigest();
    await delay(SWEEP_MS - (clock.now() % SWEEP_MS), undefined, { signal }).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }
}
