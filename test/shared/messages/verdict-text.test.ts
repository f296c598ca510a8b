import { expect, test } from 'vitest';
import type { VerdictReason } from '../../../shared/evaluation/evaluation.ts';
import { verdictText } from '../../../shared/messages/verdict-text.ts';
import { GATE_OF, VERDICT_REASON_OF } from '../../fixtures/every-code.ts';

const TEXT_OF: Record<VerdictReason['code'], string> = {
  gate: '590 compared with 1,000 (-41%) crosses the threshold (change below -30%)',
  'no-value': 'no data in the window',
  'no-denominator': "the ratio's denominator has no data in the window",
  'no-season': 'not enough history to know what is normal at this time of the week',
  'new-segment': 'the segment is new: not enough history to compare with',
  'no-baseline': 'the baseline has no value to compare with',
  'app-silent': 'the app sent no data for a part of the window, so its figures are unknown',
  'too-few-to-compare':
    'too little data to compare: the segment, or what it is compared with, is below the minimum',
  'not-comparable': 'the window cannot be compared with the baseline',
  members: '1 of 3 rules is firing',
};
const gates = [GATE_OF.settled, GATE_OF['outside-bounds'], GATE_OF.unusual];
const at = 'UTC';

test.each(Object.values(VERDICT_REASON_OF))('$code', (reason) => {
  expect(verdictText({ reason, gates }, at)).toBe(TEXT_OF[reason.code]);
});
