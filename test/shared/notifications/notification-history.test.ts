import { expect, test } from 'vitest';
import type { SentNotification } from '../../../shared/alerts/alert.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import { receiptOf } from '../../../shared/notifications/notification-history.ts';
import { alertOf, ruleNamed } from '../../fixtures/builders.ts';

/** Sent to "team" in this order; a name with a receipt is "transition message". */
function sentBefore(...news: string[]): SentNotification[] {
  return news
    .map((each, i): SentNotification => {
      const [transition, message] = each.split(' ');
      return {
        ...{ transition: transition as Transition, channel: 'team', windowEndAt: i, sentAt: i },
        ...(message && { receipt: { conversation: 'C1', message } }),
      };
    })
    .toReversed();
}

test.each<{ name: string; sent: string[]; next: Transition; message?: string }>([
  { name: 'an answer', sent: ['fired 1'], next: 'acknowledged', message: '1' },
  { name: 'an end', sent: ['fired 1', 'reminded 1'], next: 'recovered', message: '1' },
  { name: 'flapping that goes on', sent: ['fired 1', 'flapping 1'], next: 'persists', message: '1' },
  {
    name: 'a message that was posted again',
    sent: ['fired 1', 'reminded 2'],
    next: 'recovered',
    message: '2',
  },
  { name: 'a rule that gets worse', sent: ['failing 1'], next: 'broken', message: '1' },
  { name: 'a new fire', sent: ['fired 1', 'recovered 1'], next: 'fired' },
  { name: 'a fire whose last end was not sent', sent: ['fired 1'], next: 'fired' },
  { name: 'flapping after an end', sent: ['fired 1', 'recovered 1'], next: 'flapping' },
  { name: 'another condition', sent: ['fired 1'], next: 'healed' },
  { name: 'a fire from before receipts', sent: ['fired'], next: 'recovered' },
  { name: 'news without a condition', sent: ['fired 1'], next: 'matches-nothing' },
])('$name continues the message $message', ({ sent, next, message }) => {
  const alert = { ...alertOf(ruleNamed('sales')), sent: sentBefore(...sent) };
  expect(receiptOf(alert, 'team', next)?.message).toBe(message);
  expect(receiptOf(alert, 'other', next)).toBeUndefined();
});
