import * as z from 'zod';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';

export const NOON = Date.UTC(2026, 2, 2, 12);

/** Runs in real time, starting at noon on a Monday, when no calendar mutes. */
export const clock: Clock = {
  now: () => NOON + Math.round(performance.now()),
  sleep: systemClock.sleep,
};

/** What the process of notify reports when nothing is pending any more, or after the last sweep. */
export const sweepsSchema = z.object({
  sent: z.array(z.object({ channel: z.string(), ruleIds: z.array(z.string()) })),
  found: z.number(),
  left: z.number(),
  seconds: z.number(),
  sweeps: z.number(),
  cpuSeconds: z.number(),
  residentMb: z.number(),
});
export type Sweeps = z.output<typeof sweepsSchema>;
