import { expect, test } from 'vitest';
import type { Gate } from '../../shared/evaluation/gate.ts';
import { refusalText } from '../../shared/messages/answer-text.ts';
import { gateText } from '../../shared/messages/gate-text.ts';
import { reasonText } from '../../shared/messages/reason-text.ts';
import { verdictText } from '../../shared/messages/verdict-text.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { GATE_OF, REASON_OF, REFUSAL_OF, VERDICT_REASON_OF } from '../fixtures/every-code.ts';

const zone = 'Europe/Berlin';
const gates = [GATE_OF.settled, GATE_OF['outside-bounds'], GATE_OF.unusual];
const member = (segment: string | null): Gate => ({
  ...{ gate: 'member', passed: true, code: 'member-firing', figures: {}, title: 'Purchases', more: 0 },
  ...{
    watched: { metric: 'event_count' },
    firing: [{ segment, movement: { from: 40, to: 30, change: -0.25 } }],
  },
});

test('each code of a gate, a verdict, a reason and a refusal has a text of its own', async () => {
  const texts = {
    gate: Object.entries(GATE_OF).map(([code, gate]) => [code, gateText(gate, zone, ruleNamed('sales'))]),
    member: ['Malta', null].map((segment) => [segment, gateText(member(segment), zone)]),
    verdict: Object.entries(VERDICT_REASON_OF).map(([code, reason]) => [
      code,
      verdictText({ reason, gates }, zone),
    ]),
    reason: Object.entries(REASON_OF).map(([code, reason]) => [
      code,
      reasonText(reason, { zone, window: 'day', verdict: '12 is too few' }),
    ]),
    refusal: Object.entries(REFUSAL_OF).map(([code, refusal]) => [code, refusalText(refusal, zone)]),
  };
  const lines = Object.entries(texts).flatMap(([kind, all]) => [
    kind,
    ...all.map(([code, text]) => `  ${code}: ${text}`),
    '',
  ]);
  await expect(lines.join('\n')).toMatchFileSnapshot('codes.txt');
});
