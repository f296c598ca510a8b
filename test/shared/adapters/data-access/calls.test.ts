import { expect, test } from 'vitest';
import { analyticsCall, partsOf } from '../../../../shared/adapters/data-access/calls.ts';
import type { Question } from '../../../../shared/alerting/readings/reading.ts';
import { filtersFor, MAX_LIST_VALUES } from '../../../../shared/analytics/filters.ts';
import { aQuestion, WINDOW } from '../../../fixtures/questions.ts';

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

test.each([0, 300, MAX_LIST_VALUES])(
  'no part has more values than the service takes of a question, beside %i of the rule',
  (count) => {
    const value = Array.from({ length: count / 2 }, () => '1');
    const lists = [{ attribute: 'app_version', operator: 'not_in', value } as const];
    const filters = count === 0 ? [] : [...lists, ...lists];
    for (const part of partsOf(aQuestion({ eventNames: names(1000, 1), filters }))) {
      const call = analyticsCall(part, WINDOW, true);
      const sent = call.style === 'legacy' ? JSON.parse(call.query.filters ?? '[]') : call.body.filters;
      expect(filtersFor('event', 'analytics').safeParse(sent).error).toBeUndefined();
    }
  },
);
