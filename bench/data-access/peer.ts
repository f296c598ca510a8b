import type { Figures } from './question.ts';

export const PEER_NAMES = ['postgres', 'clickhouse'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

/** Another engine, loaded with the same rows. */
export interface Peer {
  /** Runs all statements in order, `times` times. Returns the total time of each round, and the rows of the first. */
  time(
    schema: string,
    statements: readonly string[],
    times: number,
  ): Promise<{ ms: number[]; figures: Figures }>;
  /** Idempotent. */
  stop(): Promise<void>;
}
