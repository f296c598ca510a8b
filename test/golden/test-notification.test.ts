import { expect, test } from 'vitest';
import { testMessage } from '../../functions/notify/test-notifications.ts';
import { newTestNotification } from '../../shared/notifications/test-notification.ts';
import { rendered } from './rendered.ts';
import { TUESDAY_3_AM } from './situations.ts';

test('a test notification', async () => {
  const about = { id: 'one', channels: ['pager'], by: 'Anna', at: TUESDAY_3_AM };
  const text = rendered(testMessage(newTestNotification(about), 'pager'));
  await expect(text).toMatchFileSnapshot('test-notification.txt');
});
