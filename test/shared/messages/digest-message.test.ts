import { expect, test } from 'vitest';
import { digestHeadline } from '../../../shared/messages/digest-message.ts';
import type { Digest } from '../../../shared/notifications/digest.ts';
import { EMPTY } from '../../fixtures/digests.ts';

test.each<[string, Digest]>([
  [
    'No rule is known to have fired; 10 of 11 rules evaluated',
    { ...EMPTY, rules: { deployed: 11, evaluated: 10 } },
  ],
  [
    'No rule is known to have fired; 11 of 11 rules evaluated',
    { ...EMPTY, unreadable: { rules: [], alerts: [{ ruleId: 'sales', segment: null }] } },
  ],
])('%s', (headline, digest) => {
  expect(digestHeadline(digest)).toBe(headline);
});
