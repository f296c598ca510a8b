import { expect, test } from 'vitest';
import { testMessage } from '../../../functions/notify/test-notifications.ts';
import { publishedAlert, publishedAlertSchema } from '../../../shared/channels/published-alert.ts';
import { createSnsChannel } from '../../../shared/channels/sns/channel.ts';
import { newTestNotification } from '../../../shared/notifications/test-notification.ts';
import { startSnsServer } from '../../contracts/sns-server.ts';
import { MONDAY } from '../../fixtures/builders.ts';
import { anItem } from '../../fixtures/messages.ts';

const message = testMessage(
  newTestNotification({ id: 'one', channels: ['bus'], by: 'Anna', at: MONDAY }),
  'bus',
);

test('publishedAlert marks a test notification by its transition', () => {
  const [item = anItem()] = message.items;
  expect(publishedAlertSchema.parse(publishedAlert(item))).toMatchObject({
    transition: 'test',
    ruleId: 'test:bus',
    severity: 'info',
  });
});

test('the mail of a test notification has a test subject and no rule', async () => {
  await using sns = await startSnsServer();
  await createSnsChannel(sns.client, 'arn:aws:sns:local:123456789012:alerts').send(message);
  expect(sns.published).toMatchObject([{ subject: 'Test notification: nothing is wrong' }]);
  expect(sns.published[0]?.message).not.toContain('Rule:');
});
