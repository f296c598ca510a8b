import { expect, test } from 'vitest';
import { compareVersions } from '../../../shared/text/version-order.ts';

test.each([
  ['5.9.0', '5.10.0', -1],
  ['v5.2', '5.2', 0],
  ['6.0.0-rc.1', '6.0.0', -1],
  ['6.0.0', '6.0.0-rc.1', 1],
  ['6.0.0-rc.2', '6.0.0-rc.10', -1],
  ['6.0.1-rc.1', '6.0.0', 1],
])('the order of %s and %s is %i', (a, b, order) => {
  expect(compareVersions(a, b)).toBe(order);
});
