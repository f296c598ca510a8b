import type { Receipt } from '../alerts/alert.ts';
import type { Message } from './message.ts';

/** By the key of an item: the message that has it now. Only of channels that can change their messages. */
export type Receipts = ReadonlyMap<string, Receipt>;

/** `permanent`: a person must change something. `sentKeys`: the delivered items, of a channel that sends one by one. */
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
