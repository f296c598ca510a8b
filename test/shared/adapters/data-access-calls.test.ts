import { expect, test } from 'vitest';
import { partsOf } from '../../../shared/adapters/data-access-calls.ts';
import type { Question } from '../../../shared/alerting/reading.ts';
import { aQuestion } from '../../fixtures/questions.ts';

const names = (count: number, length = 10) =>
  Array.from({ length: count }, (_, i) => String(i).padStart(length, 'e'));

test.each<{ name: string; question: Partial<Question>; sizes: (number | undefined)[] }>([
  { name: 'no names', question: {}, sizes: [undefined] },
  { name: 'an empty list of names', question: { eventNames: [] }, sizes: [] },
  { name: 'few names', question: { eventNames: names(20) }, sizes: [20] },
  { name: 'more than an address holds', question: { eventNames: names(600) }, sizes: [150, 150, 150, 150] },
  { name: 'a name too long for any address', question: { eventNames: names(2, 9000) }, sizes: [1, 1] },
  {
    name: 'more rows than an answer holds',
    question: { eventNames: names(25), segmentBy: { attribute: 'app_version', max_group_number: 1000 } },
    sizes: [7, 6, 6, 6],
  },
  {
    name: 'more rows in the combinations of groups than an answer holds',
    question: {
      eventNames: names(25),
      groupBy: [
        { attribute: 'app_version', max_group_number: 19 },
        { attribute: 'device_model', max_group_number: 49 },
      ],
    },
    sizes: [7, 6, 6, 6],
  },
  {
    name: 'as many segments as the service gives unasked',
    question: { eventNames: names(197, 3), segmentBy: { attribute: 'app_version' } },
    sizes: [99, 98],
  },
  {
    name: 'what cannot be grouped by event name',
    question: { endpoint: 'session', eventNames: names(3) },
    sizes: [1, 1, 1],
  },
])('$name', ({ question, sizes }) => {
  const asked = aQuestion(question);
  const parts = partsOf(asked);
  expect(parts.map(({ eventNames }) => eventNames?.length)).toEqual(sizes);
  expect(parts.flatMap(({ eventNames = [] }) => eventNames)).toEqual(asked.eventNames ?? []);
});
