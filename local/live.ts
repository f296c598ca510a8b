import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../shared/runtime/clock.ts';
import { runsBetween, type System } from './system.ts';

/** How often what is owed is swept, as in AWS. */
export const SWEEP_MS = 60_000;

export interface LiveOptions {
  system: System;
  clock: Clock;
  signal: AbortSignal;
  /** Up to when every tick was run. */
  since: number;
  /** Told after every run of a cadence, with its scheduled time. */
  onTick: (at: number) => Promise<void>;
}

/**
 * Runs every cadence of the rules in force at its time and sweeps what is owed once a minute, until the signal. What
 * came due since then, or while the machine slept, is run at once, in order; rules that are put in force meanwhile are
 * followed from the next minute on.
 */
export async function keepTime({ system, clock, signal, since, onTick }: LiveOptions): Promise<void> {
  let doneThrough = since;
  while (!signal.aborted) {
    const now = clock.now();
    const rules = (await system.rules.loadCurrent())?.rules ?? [];
    for (const { cadence, at } of runsBetween(rules, doneThrough, now)) {
      if (signal.aborted) return;
      await system.tick(cadence, at);
      await onTick(at);
    }
    doneThrough = now;
    await system.announce();
    await pause(SWEEP_MS - (clock.now() % SWEEP_MS), signal);
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
