import type { Tick } from './plan.ts';

/** When a cadence last ran; the name of a cadence outlives its rules. */
export interface LastTick {
  cadence: string;
  tick: Tick['id'];
  scheduledAt: number;
}

/** What runs leave for one another: how far a tick is, what calls were spent, how fresh an app's data is. */
export interface RunStore {
  /** Records that a tick was planned with these pieces; again is harmless. */
  saveTick(tick: Tick): Promise<void>;
  /** The last tick planned of each cadence that ever had one, in no order. */
  loadLastTicks(): Promise<LastTick[]>;
  finishBatch(tick: Tick['id'], batchId: string): Promise<void>;
  /** Whether every piece of the tick is finished; `false` for an unknown tick. */
  isTickComplete(tick: Tick['id']): Promise<boolean>;
  /**
   * Takes the turn at what only one does at a time; `false` while somebody has it. It ends at `untilAt`, should its
   * taker never give it back.
   */
  takeTurn(name: string, now: number, untilAt: number): Promise<boolean>;
  /** Ends the turn that was taken until `untilAt`; one that somebody took since stays. */
  giveBackTurn(name: string, untilAt: number): Promise<void>;
  /** Takes `calls` from what `app` may still spend in the hour of `at`; `false` (and nothing taken) if too few are left. */
  takeCalls(app: string, at: number, calls: number, perHour: number): Promise<boolean>;
  /** The calls taken in the hour of `at`; `Infinity` where the count cannot be read, for then none are left. */
  loadCalls(app: string, at: number): Promise<number>;
  /** The newest event seen of an app by any run; `undefined` if none looked yet. */
  loadNewestEventAt(app: string): Promise<number | undefined>;
  saveNewestEventAt(app: string, at: number): Promise<void>;
}
