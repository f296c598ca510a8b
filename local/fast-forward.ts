import type { ShowProgress } from '../shared/pages/progress.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { type Clock, ManualClock, type Millis } from '../shared/runtime/clock.ts';
import { counted } from '../shared/text/counted.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { type Ticked, tickedAt } from './catch-up.ts';
import { type CatchUpSpan, stretchesOf } from './catch-up-spans.ts';
import { SWEEP_MS } from './live.ts';
import { type Run, runsBetween, type System } from './system.ts';
import { progressLine } from './terminal.ts';

/** A clock that is advanced manually until `goLive`, and then follows the present. */
export class FastForwardClock extends ManualClock {
  readonly #present: Clock;
  #isLive = false;

  constructor(startAt: Millis, present: Clock) {
    super(startAt);
    this.#present = present;
  }

  override now(): Millis {
    return this.#isLive ? this.#present.now() : super.now();
  }

  override sleep(milliseconds: number): Promise<void> {
    return this.#isLive ? this.#present.sleep(milliseconds) : super.sleep(milliseconds);
  }

  goLive(): void {
    this.#isLive = true;
  }
}

export interface Past {
  system: System;
  /** At or before the start of the first span. */
  clock: FastForwardClock;
  spans: readonly CatchUpSpan[];
  ticked: Ticked;
  /** Called after each run. */
  onTicked: (ticked: Ticked) => Promise<void>;
  signal: AbortSignal;
}

/** The number of sent notifications, and the time through which the rules ran. */
export interface CaughtUp {
  notified: number;
  ticked: Ticked;
}

/** Runs every tick of the spans, in order. After the signal it stops before the next tick. */
export async function fastForward(past: Past, show: ShowProgress): Promise<CaughtUp> {
  const { system, clock, spans, onTicked, signal } = past;
  const stretches = stretchesOf(spans);
  const total = stretches.reduce((sum, { fromAt, throughAt }) => sum + throughAt - fromAt, 0);
  const step = `Checking ${counted(Math.max(1, Math.round(total / DAY_MS)), 'day')}`;
  const line = progressLine();
  let { ticked } = past;
  let [notified, before] = [0, 0];
  try {
    for (const { rules, fromAt, throughAt } of stretches) {
      for (const run of runsBetween([...rules], fromAt, throughAt)) {
        if (signal.aborted) return { notified, ticked };
        notified += await tickThen(run, rules, { system, clock });
        ticked = tickedAt(
          ticked,
          rules.map(({ id }) => id),
          run.at,
        );
        await onTicked(ticked);
        const done = before + run.at - fromAt;
        show(step, done, total);
        line.show(`${step}: ${counted(notified, 'notification')},`, done, total);
      }
      before += throughAt - fromAt;
    }
    return { notified, ticked };
  } finally {
    line.end();
  }
}

/** Runs one tick in the past. Returns the number of sent notifications. */
async function tickThen(
  { cadence, at }: Run,
  rules: readonly Rule[],
  { system, clock }: Pick<Past, 'system' | 'clock'>,
): Promise<number> {
  // A killed start leaves its messages locked for two minutes. In real time they are sent before the next
  // evaluation.
  clock.advanceTo(at - SWEEP_MS);
  const swept = await system.notify();
  clock.advanceTo(at);
  const ids = new Set(rules.map(({ id }) => id));
  const sent = await system.tick(cadence, at, ({ id }) => ids.has(id));
  return swept.sent.length + sent.length;
}
