import { expect, test } from 'vitest';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import type { Driver } from '../../../shared/statistics/attribution-driver.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

test('a change of the mix is named from a fifth of the change within', () => {
  const about = { rule: ruleNamed('orders'), segment: null };
  const moved = { current: 90, baseline: 100 };
  const said = (mix: number) => {
    const opposed = { dimension: 'device_platform', within: -10, mix };
    return driverSentences({ drivers: [], opposed, compared: [], moved }, about).length;
  };
  expect([1.9, 2].map(said)).toEqual([0, 1]);
});

test('a small part of the whole is under 1%, not 0%', () => {
  const values = { device_platform: 'ios' };
  const shares = { shareOfChange: 1, shareOfBase: 0.004, shareNow: 0.01 };
  const driver: Driver = { kind: 'count', values, current: 5, baseline: 4, ...shares };
  const moved = { current: 500, baseline: 1000 };
  const about = { rule: ruleNamed('orders'), segment: null };
  const [sentence] = driverSentences({ drivers: [driver], opposed: null, compared: [], moved }, about);
  expect(sentence?.split('; ')[1]).toBe('before, it had under 1% of the events.');
});
