import type { Silence } from './silences.ts';

export interface SilenceStore {
  save(silence: Silence): Promise<void>;
  /** All silences in no order, including ended ones, which are kept for 30 days. */
  loadAll(): Promise<Silence[]>;
}
