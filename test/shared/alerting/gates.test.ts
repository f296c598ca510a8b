import { expect, test } from 'vitest';
import type { Fired } from '../../../shared/alerting/alert.ts';
import type { Surprise } from '../../../shared/alerting/evaluation.ts';
import { seasonGate } from '../../../shared/alerting/gates.ts';

import { breached, ruleNamed } from '../../fixtures/builders.ts';

const { baselineWindow, origin, baseline, window } = breached(1);
const FIRED: Fired = {
  ...{ windowEndAt: window.endAt, firstEndAt: window.endAt, baselineWindow, origin, baseline },
  ...{ direction: 'down', gap: null },
};
const seasonal = { compare: { to: 'seasonal' }, anomaly: 'fall', fire: undefined };
const rule = ruleNamed('sales', seasonal);
const bounded = ruleNamed('sales', { ...seasonal, fire: { change: { below: '-30%' } } });

const surprise = (overrides: Partial<Surprise>): Surprise => ({
  ...{ expected: 100, low: 70, high: 130, z: -5, limit: 4, isBeyond: true, larger: 0, remembered: 28 },
  ...{ isUsual: true, isAsAYearAgo: false, wouldTell: true },
  ...overrides,
});

test.each([
  ['is back where enough is usual', rule, {}, '; usual again'],
  [
    'cannot be told to be back where too little is usual',
    rule,
    { wouldTell: false },
    '; too little is usual here to tell whether it is back',
  ],
  ['is back by its bounds, however little is usual', bounded, { wouldTell: false }, '; usual again'],
  ['is not back', rule, { isUsual: false }, ''],
  ['rises where a fall is asked for', rule, { isUsual: false, z: 5 }, '; only a fall is asked for'],
])('what fired and %s', (_, of, overrides, remark) => {
  const { detail } = seasonGate(of, 60, surprise(overrides), FIRED);
  expect(detail).toBe(`60; expected 100 (70 to 130); the largest gap in 28 days${remark}`);
});
