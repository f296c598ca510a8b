import type { Message } from './message.ts';

/**
 * `permanent`: sending the same again cannot help until a person changes something. `sentKeys`: where a channel takes
 * items one by one, those that got through before.
 */
export interface Refusal {
  kind: 'refused';
  reason: string;
  permanent: boolean;
  retryAfterMs?: number;
  sentKeys?: string[];
}

/** `kept`: it was taken, and sent nowhere, because of `reason`. */
export type SendResult = { kind: 'sent' } | { kind: 'kept'; reason: string } | Refusal;

export interface Channel {
  /** How many items it takes of one sweep, where each is sent by itself; without it, any number. */
  takes?: number;
  send(message: Message): Promise<SendResult>;
}
