import { expect, it } from 'vitest';
import type { Aggregation } from '../../../shared/contract/grouping.ts';
import { METRICS } from '../../../shared/rules/metrics.ts';
import {
  forgetOldRefusals,
  newKnowledge,
  type ServiceKnowledge,
} from '../../../shared/source/answer-knowledge.ts';
import { findRefused } from '../../../shared/source/metric-probes.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { aQuestion } from '../../fixtures/questions.ts';

const { aggregation, endpoint } = METRICS.new_users;
const question = aQuestion({ endpoint, aggregations: [aggregation] });

/** A service that refuses the metric the first `times` times. */
function refusing(times: number) {
  let left = times;
  return async (asked: Aggregation[]) =>
    asked.includes(aggregation) && left-- > 0 ? 'no such metric' : undefined;
}

const refusedIn = ({ metrics }: ServiceKnowledge) => [...metrics.values()].some(({ isKnown }) => !isKnown);

it('findRefused asks once more for a single metric before it is refused', async () => {
  const knowledge = newKnowledge();
  expect(await findRefused(question, knowledge, { probe: refusing(0), now: 0 })).toBe(false);
  expect(refusedIn(knowledge)).toBe(false);
});

it('forgetOldRefusals drops a refusal after a day', async () => {
  const knowledge = newKnowledge();
  expect(await findRefused(question, knowledge, { probe: refusing(1), now: 0 })).toBe(true);
  forgetOldRefusals(knowledge, DAY_MS - 1);
  expect(refusedIn(knowledge)).toBe(true);
  forgetOldRefusals(knowledge, DAY_MS);
  expect(knowledge.metrics.size).toBe(0);
});
