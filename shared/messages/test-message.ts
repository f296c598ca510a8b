import type { TestNotification } from '../notifications/test-notification.ts';
import { quoted } from '../text/quoted.ts';
import { momentText } from './figure-text.ts';
import type { Message } from './message.ts';
import { messageOf } from './message.ts';

/** The test message for one channel. */
export function testMessage({ id, by, at }: TestNotification, channel: string): Message {
  return messageOf([
    {
      key: `test#${id}#${channel}`,
      // Shared by all tests of a channel, so that a second test resolves an incident that the first left open.
      ruleId: `test:${channel}`,
      segment: null,
      transition: 'test',
      severity: 'info',
      headline: 'Test notification: nothing is wrong',
      summary: `${quoted(by)} is testing the channel ${channel}`,
      facts: [
        { label: 'Sent by', text: `${quoted(by)}, ${momentText(at, 'UTC')}` },
        { label: 'Channel', text: channel },
        { label: 'What to do', text: 'Nothing. This is a test.' },
      ],
      ...{ runbook: null, links: null, figures: null, window: null, app: null },
      ...{ at, turn: 0, zone: 'UTC', about: [], receipt: null },
    },
  ]);
}
