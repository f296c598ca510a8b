import { expect, test } from 'vitest';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import type { Driver } from '../../../shared/statistics/attribution-driver.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const about = { rule: ruleNamed('orders'), segment: null };

/** The sentence about iOS, which explains the whole fall from 1,000 to 500. */
function sentenceOf(shareOfBase: number, shareNow: number, shareOfChange = 1): string | undefined {
  const [current, baseline] = [500 * shareNow, 1000 * shareOfBase];
  const values = { device_platform: 'ios' };
  const shares = { shareOfChange, shareOfBase, shareNow };
  const driver: Driver = { kind: 'count', values, current, baseline, ...shares };
  const moved = { current: 500, baseline: 1000 };
  return driverSentences({ drivers: [driver], opposed: null, compared: [], moved }, about)[0];
}

test.each([
  ['a small part', 0.004, 0.01, 'before, it had under 1% of the events.'],
  ['a new part', 0, 0.01, 'it had no events before.'],
  ['half', 0.5, 0.5, 'before, it had 50% of the events.'],
])('%s of the whole', (_, shareOfBase, shareNow, text) => {
  expect(sentenceOf(shareOfBase, shareNow)?.split('; ')[1]).toBe(text);
});

test.each([
  [0.996, 'explains all of the fall'],
  [0.99, 'explains 99% of the fall'],
])('a share of %d of the change', (share, text) => {
  expect(sentenceOf(0.4, 0.2, share)).toContain(text);
});
