import { expect, test } from 'vitest';
import type { Surprise } from '../../../shared/evaluation/evaluation.ts';
import type { Fired } from '../../../shared/evaluation/fired.ts';
import { seasonGate } from '../../../shared/evaluation/gates.ts';

import { breached, ruleNamed } from '../../fixtures/builders.ts';

const { baseline, current } = breached(1);
const { endAt } = current.window;
const FIRED: Fired = { windowEndAt: endAt, firstEndAt: endAt, baseline, direction: 'down', gap: null };
const seasonal = { compare: { to: 'seasonal' }, anomaly: 'fall', fire: undefined };
const rule = ruleNamed('sales', seasonal);
const bounded = ruleNamed('sales', { ...seasonal, fire: { change: { below: '-30%' } } });

const surprise = (overrides: Partial<Surprise>): Surprise => ({
  ...{ expected: 100, low: 70, high: 130, z: -5, limit: 4, isBeyond: true, larger: 0, remembered: 28 },
  ...{ isUsual: true, isAsAYearAgo: false, canDetect: true },
  ...overrides,
});

test.each([
  ['reports a return to normal', rule, {}, { code: 'back-to-expected' }],
  [
    'cannot report a return if values vary too much',
    rule,
    { canDetect: false },
    { code: 'too-variable-to-tell' },
  ],
  [
    'reports a return by its bounds even if values vary too much',
    bounded,
    { canDetect: false },
    { code: 'back-to-expected' },
  ],
  ['passes while the value is unusual', rule, { isUsual: false }, { code: 'unusual', passed: true }],
  [
    'does not pass for a rise if the rule watches falls',
    rule,
    { isUsual: false, z: 5 },
    { code: 'other-direction', anomaly: 'fall' },
  ],
])('the season gate of a firing alert %s', (_, of, overrides, found) => {
  expect(seasonGate(of, 60, surprise(overrides), FIRED)).toMatchObject({ passed: false, ...found });
});
