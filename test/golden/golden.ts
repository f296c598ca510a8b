import { expect, test } from 'vitest';
import type { PendingNotification } from '../../shared/alerting/notifications/pending.ts';
import { rendered } from './rendered.ts';
import { sent } from './situations.ts';

/**
 * What people are sent, word for word. After a change of words: `vitest run --project quick test/golden -u`, and then
 * read each file that changed aloud.
 */
export function golden(
  name: string,
  pending: PendingNotification[],
  options: { interactive?: boolean } = {},
) {
  test(name, async () => {
    const text = rendered(await sent(pending), options);
    await expect(text).toMatchFileSnapshot(`${name.replaceAll(' ', '-')}.txt`);
  });
}
