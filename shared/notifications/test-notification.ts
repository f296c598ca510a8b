import * as z from 'zod';

const outcome = { channel: z.string() };
const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ ...outcome, kind: z.literal('sent') }),
  z.object({ ...outcome, kind: z.literal('kept'), reason: z.string() }),
  z.object({ ...outcome, kind: z.literal('refused'), reason: z.string() }),
]);
/** `kept`: stored on this machine instead of being sent. */
export type TestOutcome = z.infer<typeof outcomeSchema>;

export const testNotificationSchema = z.object({
  id: z.string(),
  channels: z.array(z.string()),
  by: z.string(),
  at: z.number(),
  /** Expiry: it is not sent after this time. */
  untilAt: z.number(),
  /** When the notify function took it. */
  takenAt: z.number().nullable(),
  /** One per channel; empty until all were sent. */
  outcomes: z.array(outcomeSchema),
});
/** A request to send one test message to each of these channels. */
export type TestNotification = z.infer<typeof testNotificationSchema>;

/** Time for the notify function to take it: two of its runs. */
const WAIT_MS = 120_000;

export function newTestNotification(of: Pick<TestNotification, 'id' | 'channels' | 'by' | 'at'>) {
  return { ...of, untilAt: of.at + WAIT_MS, takenAt: null, outcomes: [] } satisfies TestNotification;
}

export function isPending({ takenAt, untilAt }: TestNotification, now: number): boolean {
  return takenAt === null && now < untilAt;
}

/** Requested test notifications and their outcomes; kept for an hour. */
export interface TestNotificationStore {
  save(test: TestNotification): Promise<void>;
  load(id: string): Promise<TestNotification | undefined>;
  /** Returns pending requests and marks them as taken; each is returned only once. */
  takePending(now: number): Promise<TestNotification[]>;
}
