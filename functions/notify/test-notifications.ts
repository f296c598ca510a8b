import { NO_RULES, type RuleStore } from '../../shared/deployments/rule-store.ts';
import { type Message, messageOf } from '../../shared/messages/message.ts';
import { momentText } from '../../shared/messages/time-text.ts';
import type {
  TestNotification,
  TestNotificationStore,
  TestOutcome,
} from '../../shared/notifications/test-notification.ts';
import { errorText } from '../../shared/runtime/errors.ts';
import { quoted } from '../../shared/text/quoted.ts';
import { attempt, channelNamed } from './send-group.ts';
import type { NotifyDeps } from './sweep.ts';

export interface TestNotificationDeps extends Pick<NotifyDeps, 'channelFor' | 'clock' | 'logger'> {
  rules: Pick<RuleStore, 'loadCurrent'>;
  testNotifications: TestNotificationStore;
}

/** Sends each pending test once, and keeps what each channel answered. Never throws: a test must not stop alerts. */
export async function sendTestNotifications(deps: TestNotificationDeps): Promise<void> {
  const { testNotifications, rules, clock, logger } = deps;
  try {
    // Before the requests are taken: each is taken once, and is lost if the rules cannot be loaded afterwards.
    const ruleSet = await rules.loadCurrent(NO_RULES);
    if (!ruleSet) return;
    const tests = await testNotifications.takePending(clock.now());
    const to = { ...deps, ruleSet };
    const saved = await Promise.allSettled(
      tests.map(async (test) => {
        const outcomes = await Promise.all(test.channels.map((channel) => sendTest(test, channel, to)));
        await testNotifications.save({ ...test, outcomes });
      }),
    );
    for (const each of saved) if (each.status === 'rejected') throw each.reason;
  } catch (error) {
    logger.error('a test notification failed', { reason: errorText(error) });
  }
}

async function sendTest(
  test: TestNotification,
  channel: string,
  to: Parameters<typeof channelNamed>[1],
): Promise<TestOutcome> {
  const result = await attempt(await channelNamed(channel, to), testMessage(test, channel));
  if (result.kind === 'sent') return { channel, kind: 'sent' };
  if (result.kind === 'kept') return { channel, kind: 'kept', reason: result.reason };
  // The channel accepted the event that opens an incident, but not the one that resolves it.
  const isLeftOpen = (result.sentKeys ?? []).length > 0;
  const reason = isLeftOpen
    ? `an incident was opened and could not be resolved; resolve it by hand: ${result.reason}`
    : result.reason;
  return { channel, kind: 'refused', reason };
}

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
      ...{ at, turn: 0, zone: 'UTC', about: null, receipt: null },
    },
  ]);
}
