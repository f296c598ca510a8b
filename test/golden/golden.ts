import { expect, test } from 'vitest';
import type { PendingNotification } from '../../shared/notifications/pending.ts';
import { rendered } from './rendered.ts';
import { sent } from './situations.ts';

/**
 * Compares a whole message with its file. After a change of wording, run `vitest run --project quick test/golden -u`
 * and read each changed file aloud.
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
