import type { Snapshot } from './reading.ts';
import type { Ends } from './snapshots.ts';

export interface ReadingStore {
  /** Snapshots whose window ends in `[from, through]`, in order; with `eventNames`, without those of only other events. */
  load(family: string, range: Ends, eventNames?: string[]): Promise<Snapshot[]>;
  /** Saves a snapshot. Does nothing if there is one of the same family, window, `rereadAt`, event names and keys. */
  save(snapshot: Snapshot): Promise<void>;
}
