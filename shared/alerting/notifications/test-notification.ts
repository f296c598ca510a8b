/** A request to send a test message to each of these channels, once. */
export interface TestNotification {
  id: string;
  channels: string[];
  by: string;
  at: number;
  /** It is not sent after this. */
  untilAt: number;
  /** When announce took it. */
  takenAt: number | null;
  /** One for each channel; empty until all were sent. */
  outcomes: TestOutcome[];
}

/** `kept`: on this machine, in place of being sent. */
export type TestOutcome = { channel: string } & (
  | { kind: 'sent' }
  | { kind: 'kept'; reason: string }
  | { kind: 'refused'; reason: string }
);

/** Time for announce to take it: two of its runs. */
const WAIT_MS = 120_000;

export function newTestNotification(of: Pick<TestNotification, 'id' | 'channels' | 'by' | 'at'>) {
  return { ...of, untilAt: of.at + WAIT_MS, takenAt: null, outcomes: [] } satisfies TestNotification;
}

export function isPending({ takenAt, untilAt }: TestNotification, now: number): boolean {
  return takenAt === null && now < untilAt;
}
