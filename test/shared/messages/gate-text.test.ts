import { expect, test } from 'vitest';
import type { Gate } from '../../../shared/evaluation/gate.ts';
import { gateText } from '../../../shared/messages/gate-text.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { GATE_OF } from '../../fixtures/every-code.ts';

const TEXT_OF: Record<Gate['code'], string> = {
  settled: 'closed at Mon 2 Mar 2026, 01:00 (Europe/Berlin), settled for 10 minutes',
  fresh: 'the app has data past the end of the window',
  'data-late':
    'the app has no data past the end of the window; the newest is from Mon 2 Mar 2026, 00:00 (Europe/Berlin)',
  'no-data-yet': 'the app has no data yet',
  'not-a-holiday': 'not a holiday',
  'zero-on-a-holiday': 'Easter Monday; a value of 0 counts as an outage on any day',
  holiday: 'Easter Monday; holidays are not evaluated',
  'enough-volume': 'enough volume: 12, compared with 30',
  'too-little-volume': 'too little volume: baseline 30 is below the minimum of 50',
  'outside-bounds': '590 compared with 1,000 (-41%) crosses the threshold (change below -30%)',
  'within-bounds': '590 compared with 0 (new, from 0) does not cross the threshold (current above 700)',
  significant:
    'a change this large happens by chance about once in 150 days; usual variation ±15% (from only 3 earlier days, as data begins on 2026-03-02)',
  'not-significant':
    'not significant: a change this large happens by chance on most days; usual variation ±15% (assumed, as its history is part of a rollout)',
  unusual: '60, where 100 is expected and 70 to 130 is normal; no deviation in 28 days was as large',
  expected: '60, where 100 is expected and 70 to 130 is normal; deviations as large occurred on 3 of 28 days',
  'back-to-expected':
    '60, where 100 is expected and 70 to 130 is normal; no deviation in 28 days was as large; back to normal',
  'too-variable-to-tell':
    '60, where 100 is expected and 70 to 130 is normal; no deviation in 28 days was as large; values vary too much at this time of the week to tell whether it recovered',
  'other-direction':
    '60, where 100 is expected and 70 to 130 is normal; no deviation in 28 days was as large; the rule fires only on a rise',
  'stands-out': 'it stands out among 12 segments tested',
  'does-not-stand-out': 'among 12 segments tested, one such change is expected by chance',
  'beyond-rollout':
    'a rollout may have moved up to 120 here from older versions, so up to 340 are expected; it still crosses the threshold',
  'explained-by-rollout':
    'a rollout may have moved up to 120 from here to newer versions, so 340 or more are expected',
  'member-firing':
    'Conversion: Malta fell from 40% to 30% (-25%), (none) rose from 0% to 30% (new), France is firing, 2 more',
  'member-not-firing': 'Purchases is not firing',
};

test.each(Object.entries(GATE_OF))('%s', (code, gate) => {
  expect(gate.code).toBe(code);
  expect(gateText(gate, 'Europe/Berlin', ruleNamed('sales'))).toBe(TEXT_OF[gate.code]);
});

const MALTA = { segment: 'Malta', movement: { from: 40, to: 30, change: -0.25 } };
const WHOLE = { segment: null, movement: { from: 1000, to: 590, change: -0.41 } };

test.each([
  ['one segment', [MALTA], 'Purchases: Malta fell from 40 to 30 events (-25%)'],
  ['the whole series', [WHOLE], 'Purchases fell from 1,000 to 590 events (-41%)'],
])('a member that fires for %s', (_, firing, text) => {
  const gate: Gate = {
    ...{ gate: 'member', passed: true, code: 'member-firing', figures: {}, title: 'Purchases', more: 0 },
    ...{ watched: { metric: 'event_count' }, firing },
  };
  expect(gateText(gate, 'UTC')).toBe(text);
});
