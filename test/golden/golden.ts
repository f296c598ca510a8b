import { expect, test } from 'vitest';
import type { Owed } from '../../shared/alerting/notifications/owed.ts';
import { rendered } from './rendered.ts';
import { announced } from './situations.ts';

/**
 * What people are sent, word for word. After a change of words: `vitest run --project quick test/golden -u`, and then
 * read each file that changed aloud.
 */
export function golden(name: string, owed: Owed[], options: { interactive?: boolean } = {}) {
  test(name, async () => {
    const text = rendered(await announced(owed), options);
    await expect(text).toMatchFileSnapshot(`${name.replaceAll(' ', '-')}.txt`);
  });
}
