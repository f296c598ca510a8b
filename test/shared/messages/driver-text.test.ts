import { expect, test } from 'vitest';
import { driverSentences } from '../../../shared/messages/driver-text.ts';
import type { Driver } from '../../../shared/statistics/attribution-driver.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

test('a small part of the whole is under 1%, not 0%', () => {
  const values = { device_platform: 'ios' };
  const shares = { shareOfChange: 1, shareOfBase: 0.004, shareNow: 0.01 };
  const driver: Driver = { kind: 'count', values, current: 5, baseline: 4, ...shares };
  const moved = { current: 500, baseline: 1000 };
  const about = { rule: ruleNamed('orders'), segment: null };
  const [sentence] = driverSentences({ drivers: [driver], opposed: null, compared: [], moved }, about);
  expect(sentence?.split('; ')[1]).toBe('before, it had under 1% of the events.');
});
