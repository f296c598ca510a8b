import type { Snapshot } from './reading.ts';

export interface ReadingStore {
  /**
   * All sheets of the family whose window ends in `[from, through]`, in order of their windows; where `eventNames` are
   * given, without those that tell of other events alone.
   */
  load(
    family: string,
    range: { fromEndAt: number; throughEndAt: number },
    eventNames?: string[],
  ): Promise<Snapshot[]>;
  /** Keeps a sheet. The first one kept of a family, window, `rereadAt` and set of event names and keys stays as it is. */
  save(snapshot: Snapshot): Promise<void>;
}
