import { expect, test } from 'vitest';
import { withCommonCauses } from '../../shared/alerting/joint-cause.ts';
import { messageWithCauses } from '../../shared/alerting/joint-cause-item.ts';
import type { Owed } from '../../shared/alerting/message.ts';
import { rendered } from './rendered.ts';
import { withLinks } from './situations.ts';

/**
 * What people are sent, word for word. After a change of words: `vitest run --project quick test/golden -u`, and then
 * read each file that changed aloud.
 */
export function golden(name: string, owed: Owed[], options: { interactive?: boolean } = {}) {
  const rules = [...new Set(owed.flatMap(({ rule }) => rule ?? []))];
  test(name, async () => {
    const message = messageWithCauses(withCommonCauses(owed, rules, new Set()), rules);
    const text = rendered(withLinks(message, owed), options);
    await expect(text).toMatchFileSnapshot(`${name.replaceAll(' ', '-')}.txt`);
  });
}
