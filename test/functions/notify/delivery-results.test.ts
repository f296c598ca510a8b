import { expect, test } from 'vitest';
import { isPartial } from '../../../functions/notify/delivery-results.ts';

test.each([
  ['took some items', { permanent: false, sentKeys: ['a'] }, true],
  ['took none', { permanent: false, sentKeys: [] }, false],
  ['takes all items or none', { permanent: false }, false],
  ['took some and refuses the others for good', { permanent: true, sentKeys: ['a'] }, false],
])('a channel that %s: partial is %3$s', (_, refusal, partial) => {
  expect(isPartial({ kind: 'refused', reason: 'no', ...refusal })).toBe(partial);
});
