import * as z from 'zod';
import type { Channel, Refusal, SendResult } from '../../shared/messages/channel.ts';
import type { Message } from '../../shared/messages/message.ts';
import { channelTo } from '../fixtures/channel-to.ts';
import type { Fault, Faults } from './faults.ts';
import type { Ledger, PendingEntry } from './ledger.ts';
import type { Call, Process } from './process.ts';

/** One item that a receiver got. */
export interface Receipt {
  /** A receiver that knows keys drops an item that it already has. */
  key: string;
  at: number;
  /** The run that sent it. */
  by: string;
  /** The notifications that it settles. */
  notifications: PendingEntry[];
}

export interface Receivers {
  chat: Receipt[];
  hook: Receipt[];
  pager: { at: number; incident: string; action: 'trigger' | 'acknowledge' | 'resolve' }[];
}

const eventSchema = z.object({
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: z.string(),
});

const ON_SENDS: Partial<Record<Fault, number>> = {
  'killed before': 0.02,
  'killed after': 0.03,
  throttled: 0.02,
  'answer lost': 0.03,
  slow: 0.02,
};
const REFUSALS: Partial<Record<Fault, number>> = {
  refused: 0.03,
  'refused with a time': 0.02,
  'refused for good': 0.01,
  'taken in part': 0.03,
};

interface Reached {
  received: Receivers;
  ledger: Ledger;
  faults: Faults;
  now: () => number;
  /** Called with the notifications that people read in the chat. */
  onChat: (notifications: PendingEntry[]) => void;
}

/**
 * The channels of one run of notify: a chat that accepts whole messages and knows no keys, a webhook whose
 * receiver drops keys that it knows, and the adapter of PagerDuty, whose requests are single events.
 */
export function channelsOf(
  by: Process,
  { received, ledger, faults, now, onChat }: Reached,
): Record<string, Channel> {
  const sent = (to: 'chat' | 'hook', { items }: Message, count = items.length) => {
    const keys = items.slice(0, count).map(({ key }) => key);
    for (const key of keys)
      received[to].push({ key, at: now(), by: by.name, notifications: ledger.notificationsOf(to, key) });
    if (to === 'chat') onChat(keys.flatMap((key) => ledger.notificationsOf(to, key)));
    return keys;
  };
  const refuses = (
    channel: 'chat' | 'hook' | 'pager',
    odds: Partial<Record<Fault, number>>,
  ): Fault | undefined => (faults.isDown(channel, now()) ? 'refused' : by.fault(`${channel} refuses`, odds));
  /** Until when the last answer of each asks to wait. */
  const asked: { chat?: number | undefined; hook?: number | undefined } = {};
  const onCall =
    (channel: 'chat' | 'hook') =>
    ({ fault }: Call): void => {
      const untilAt = asked[channel];
      if (untilAt !== undefined && fault !== 'answer lost') ledger.asksToWait(channel, untilAt, by);
    };
  const answerOf = (channel: 'chat' | 'hook', fault: Fault | undefined): Refusal | undefined => {
    ledger.reaches(channel, now());
    const refusal = refusalFor(fault);
    asked[channel] = refusal?.retryAfterMs ? now() + refusal.retryAfterMs : undefined;
    return refusal;
  };
  const chat: Channel = {
    async send(message) {
      const refusal = answerOf('chat', refuses('chat', { ...REFUSALS, 'taken in part': 0 }));
      if (!refusal) sent('chat', message);
      return refusal ?? ({ kind: 'sent' } satisfies SendResult);
    },
  };
  const hook: Channel = {
    async send(message) {
      const fault = refuses('hook', REFUSALS);
      const refusal = answerOf('hook', fault);
      if (!refusal) sent('hook', message);
      if (fault !== 'taken in part') return refusal ?? { kind: 'sent' };
      return { kind: 'refused', reason: fault, permanent: false, sentKeys: sent('hook', message, 1) };
    },
  };
  const pagerDuty = {
    async post(body: string): Promise<Response> {
      const refusal = refusalFor(refuses('pager', { ...REFUSALS, 'taken in part': 0 }));
      if (refusal?.permanent) return new Response('{"errors":["routing_key"]}', { status: 400 });
      if (refusal) return new Response(null, { status: 503, headers: { 'Retry-After': '90' } });
      const event = eventSchema.parse(JSON.parse(body));
      received.pager.push({ at: now(), incident: event.dedup_key, action: event.event_action });
      return new Response(null, { status: 202 });
    },
  };
  const reached = by.port('pager', pagerDuty, { odds: ON_SENDS });
  return {
    chat: by.port('chat', chat, { odds: ON_SENDS, onCall: onCall('chat') }),
    hook: by.port('hook', hook, { odds: ON_SENDS, onCall: onCall('hook') }),
    pager: channelTo(
      { pagerduty: { routing_key_secret: 'key', at_once: 3 } },
      { secret: 'R'.repeat(32), clock: by.clock, to: (_url, init) => reached.post(String(init?.body)) },
    ),
  };
}

function refusalFor(fault: Fault | undefined): Refusal | undefined {
  if (!fault) return undefined;
  const retryAfterMs = fault === 'refused with a time' ? 300_000 : undefined;
  return {
    kind: 'refused',
    reason: fault,
    permanent: fault === 'refused for good',
    ...(retryAfterMs && { retryAfterMs }),
  };
}
