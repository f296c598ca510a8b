import type { Channel, SendResult } from '../../shared/messages/channel.ts';
import type { Message } from '../../shared/messages/message.ts';

/** A channel that records its messages. Each refusal given to `refuseNext` refuses one message. */
export interface FakeChannel extends Channel {
  readonly sent: Message[];
  refuseNext(...refusals: Extract<SendResult, { kind: 'refused' }>[]): void;
}

export function createFakeChannel(): FakeChannel {
  const sent: Message[] = [];
  const refusals: SendResult[] = [];
  return {
    sent,
    refuseNext: (...next) => void refusals.push(...next),
    async send(message) {
      const refusal = refusals.shift();
      if (refusal) return refusal;
      sent.push(structuredClone(message));
      return { kind: 'sent' };
    },
  };
}
