import * as z from 'zod';
import { baselineSchema } from '../readings/reading.ts';
import { driversSchema } from './drivers.ts';

export const firedSchema = z.object({
  /** Ends of the window that made it fire and of the first breach that counted. */
  windowEndAt: z.number(),
  firstEndAt: z.number(),
  baseline: baselineSchema,
  direction: z.enum(['up', 'down']),
  /** The seasonal expectation and the actual value; `null` without a season. */
  gap: z.object({ from: z.number(), to: z.number() }).nullable(),
  /** Its drivers; absent if unknown. */
  drivers: driversSchema.optional(),
  /** The revision of the alert that fired; distinguishes several fires on one window. */
  fromRevision: z.number().optional(),
  /** Windows since then that deviated from the baseline, and how many of them were at 0; absent: none yet. */
  lasted: z.object({ windows: z.number(), atZero: z.number() }).optional(),
});
export type Fired = z.infer<typeof firedSchema>;
