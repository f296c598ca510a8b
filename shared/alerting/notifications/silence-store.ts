import type { Silence } from './silences.ts';

export interface SilenceStore {
  save(silence: Silence): Promise<void>;
  /** Those that are over included, as long as they are kept: 30 days; in no order. */
  loadAll(): Promise<Silence[]>;
}
