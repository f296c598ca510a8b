import type { Receipt } from '../alerts/alert.ts';
import type { Message } from './message.ts';

/** By the key of an item: the message that has it now. Only of channels that can change their messages. */
export type Receipts = ReadonlyMap<string, Receipt>;

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
  receipts?: Receipts;
}

/** `kept`: accepted but not sent anywhere, because of `reason`. */
export type SendResult =
  | { kind: 'sent'; receipts?: Receipts }
  | { kind: 'kept'; reason: string; receipts?: Receipts }
  | Refusal;

export interface Channel {
  send(message: Message): Promise<SendResult>;
}
