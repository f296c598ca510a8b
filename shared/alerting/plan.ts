import type { Window } from './window.ts';

/** One run of one cadence: its scheduled time is the only "now" of everything it causes. */
export interface Tick {
  id: string;
  scheduledAt: number;
  pieces: string[];
}

/** The windows of one rule that are to be judged, oldest first. */
export interface Check {
  ruleId: string;
  windows: Window[];
}

/** Work for one run of check-rules: whole rules of one app that share calls. */
export interface Piece {
  id: string;
  tick: string;
  scheduledAt: number;
  app: string;
  ruleSetVersion: string;
  checks: Check[];
}
