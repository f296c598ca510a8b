import { expect, test } from 'vitest';
import { digestHeadline } from '../../../shared/messages/digest-message.ts';
import type { Digest } from '../../../shared/notifications/digest.ts';
import { EMPTY, FULL } from '../../fixtures/digests.ts';

test.each<[string, Digest]>([
  ['Nothing fired; 11 rules were evaluated', EMPTY],
  ['Nothing fired; 1 rule was evaluated', { ...EMPTY, rules: { deployed: 1, evaluated: 1 } }],
  [
    'Nothing is known to have fired; 10 of 11 rules were evaluated',
    { ...EMPTY, rules: { deployed: 11, evaluated: 10 } },
  ],
  [
    'Nothing is known to have fired; 11 rules were evaluated',
    { ...EMPTY, unreadable: { rules: [], alerts: [{ ruleId: 'sales', segment: null }] } },
  ],
  ['12 alerts of 5 rules fired', FULL],
  ['1 alert fired', { ...EMPTY, fired: { ...EMPTY.fired, alerts: 1 } }],
])('%s', (headline, digest) => {
  expect(digestHeadline(digest)).toBe(headline);
});
