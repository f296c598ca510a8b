import type { Message } from './message.ts';

/**
 * `permanent`: a retry fails until a person changes something. `sentKeys`: the items that were delivered, for a
 * channel that sends items one by one.
 */
export interface Refusal {
  kind: 'refused';
  reason: string;
  permanent: boolean;
  retryAfterMs?: number;
  sentKeys?: string[];
}

/** `kept`: accepted but not sent anywhere, because of `reason`. */
export type SendResult = { kind: 'sent' } | { kind: 'kept'; reason: string } | Refusal;

export interface Channel {
  /** How many items it accepts per run, if it sends each item separately; unlimited by default. */
  takes?: number;
  send(message: Message): Promise<SendResult>;
}
