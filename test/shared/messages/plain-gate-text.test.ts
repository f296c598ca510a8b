import { expect, test } from 'vitest';
import type { Gate } from '../../../shared/evaluation/gate.ts';
import { momentsIn } from '../../../shared/messages/figure-text.ts';
import { gateText } from '../../../shared/messages/gate-text.ts';
import { plainGateText } from '../../../shared/messages/plain-gate-text.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { GATE_OF } from '../../fixtures/every-code.ts';

/** Gates with a text without statistics. The others have the text of the page. */
const TEXT_OF: Partial<Record<Gate['code'], string>> = {
  'outside-bounds': '590 compared with 1,000 crosses the threshold (change below -30%)',
  'within-bounds': '590 compared with 0 does not cross the threshold (current above 700)',
  significant:
    'a change this large happens by chance about once in 150 days, estimated from little history (data begins on 2026-03-02, or the service keeps none from before)',
  'not-significant': 'not significant: a change this large happens by chance on most days',
  unusual:
    '100 was expected, and 70 to 130 is normal for this day of the week; no deviation in 28 days was as large',
  'stands-out': 'it stands out among 12 segments tested',
  'does-not-stand-out': 'among 12 segments tested, one such change is expected by chance',
};

test.each(Object.values(GATE_OF))('$code', (gate) => {
  const at = momentsIn('UTC');
  expect(plainGateText(gate, ruleNamed('sales'), at)).toBe(TEXT_OF[gate.code] ?? gateText(gate, at));
});
