import type { Said } from './alert.ts';

/** What a route or a silence is about: each that is given must match. */
export interface Match {
  app?: string | undefined;
  rule?: string | undefined;
  owner?: string | undefined;
  severity?: string | undefined;
  segment?: string | undefined;
}

/** Nothing that matches is told in `[fromAt, untilAt)`; judgement goes on. */
export interface Silence extends Said {
  id: string;
  match: Match;
  fromAt: number;
  untilAt: number;
}
