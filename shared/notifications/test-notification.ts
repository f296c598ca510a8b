/** A request to send one test message to each of these channels. */
export interface TestNotification {
  id: string;
  channels: string[];
  by: string;
  at: number;
  /** Expiry: it is not sent after this time. */
  untilAt: number;
  /** When the notify function took it. */
  takenAt: number | null;
  /** One per channel; empty until all were sent. */
  outcomes: TestOutcome[];
}

/** `kept`: stored on this machine instead of being sent. */
export type TestOutcome = { channel: string } & (
  | { kind: 'sent' }
  | { kind: 'kept'; reason: string }
  | { kind: 'refused'; reason: string }
);

/** Time for the notify function to take it: two of its runs. */
const WAIT_MS = 120_000;

export function newTestNotification(of: Pick<TestNotification, 'id' | 'channels' | 'by' | 'at'>) {
  return { ...of, untilAt: of.at + WAIT_MS, takenAt: null, outcomes: [] } satisfies TestNotification;
}

export function isPending({ takenAt, untilAt }: TestNotification, now: number): boolean {
  return takenAt === null && now < untilAt;
}
