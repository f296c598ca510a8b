import * as z from 'zod';
import type { Move } from '../alerts/moves.ts';
import type { AppVersions } from '../alerts/new-versions.ts';
import type { Tick } from './plan.ts';

export const lastTickSchema = z.object({ cadence: z.string(), tick: z.string(), scheduledAt: z.number() });
/** When a cadence last ran; the name of a cadence outlives its rules. */
export type LastTick = z.infer<typeof lastTickSchema>;

/** State shared by runs: the progress of ticks, the calls spent, and the newest event and the versions of each app. */
export interface RunStore {
  /** Saves the batches of a planned tick. Idempotent. */
  saveTick(tick: Tick): Promise<void>;
  /** The last tick planned of each cadence that ever had one, in no order. */
  loadLastTicks(): Promise<LastTick[]>;
  finishBatch(tick: Tick['id'], batchId: string): Promise<void>;
  /** Whether all batches of the tick are finished; `false` for an unknown tick. */
  isTickComplete(tick: Tick['id']): Promise<boolean>;
  /** Saves the moves that a batch found, for two days. Replaces those saved before. */
  saveMoves(tick: Tick['id'], batchId: string, moves: Move[]): Promise<void>;
  /** The moves that the batches of a tick have found so far, in no order. */
  loadMoves(tick: Tick['id']): Promise<Move[]>;
  /**
   * Takes the lock `name`; `false` if it is held. The lock expires at `untilAt`.
   */
  takeLock(name: string, now: number, untilAt: number): Promise<boolean>;
  /** Releases the lock that was taken until `untilAt`, unless it was taken again since. */
  releaseLock(name: string, untilAt: number): Promise<void>;
  /** Takes `calls` from the budget of `app` for the hour of `at`; `false`, and takes none, if too few are left. */
  takeCalls(app: string, at: number, calls: number, perHour: number): Promise<boolean>;
  /** The calls taken in the hour of `at`. */
  loadCalls(app: string, at: number): Promise<number>;
  /** The newest event of an app that any run has seen; `undefined` before the first run. */
  loadNewestEventAt(app: string): Promise<number | undefined>;
  saveNewestEventAt(app: string, at: number): Promise<void>;
  /** The versions of an app that any run has seen; `undefined` before the first question. */
  loadVersions(app: string): Promise<AppVersions | undefined>;
  /**
   * Saves them if the stored ones are still those that were asked for at `replacing`; `undefined`: if there are none.
   * Returns whether it saved.
   */
  saveVersions(app: string, versions: AppVersions, replacing: number | undefined): Promise<boolean>;
}
