import { expect, test } from 'vitest';
import { filtersFor, MAX_LIST_VALUES } from '../../../shared/contract/query-filters.ts';
import type { Question } from '../../../shared/readings/reading.ts';
import { analyticsCall, partsOf } from '../../../shared/source/calls.ts';
import { aQuestion, WINDOW } from '../../fixtures/questions.ts';

const names = (count: number, length = 10) =>
  Array.from({ length: count }, (_, i) => String(i).padStart(length, 'e'));

test.each<{ name: string; question: Partial<Question>; sizes: (number | undefined)[] }>([
  { name: 'no names', question: {}, sizes: [undefined] },
  { name: 'an empty list of names', question: { eventNames: [] }, sizes: [] },
  { name: 'few names', question: { eventNames: names(20) }, sizes: [20] },
  { name: 'more names than a URL holds', question: { eventNames: names(600) }, sizes: [150, 150, 150, 150] },
  { name: 'names too long for any URL', question: { eventNames: names(2, 9000) }, sizes: [1, 1] },
  {
    name: 'more rows than a response holds',
    question: { eventNames: names(25), segmentBy: { attribute: 'app_version', max_group_number: 1000 } },
    sizes: [7, 6, 6, 6],
  },
  {
    name: 'more combinations of groups than a response holds',
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
    name: 'the default number of segments of the service',
    question: { eventNames: names(197, 3), segmentBy: { attribute: 'app_version' } },
    sizes: [99, 98],
  },
  {
    name: 'an endpoint that cannot group by event name',
    question: { endpoint: 'session', eventNames: names(3) },
    sizes: [1, 1, 1],
  },
])('partsOf splits $name', ({ question, sizes }) => {
  const asked = aQuestion(question);
  const parts = partsOf(asked);
  expect(parts.map(({ eventNames }) => eventNames?.length)).toEqual(sizes);
  expect(parts.flatMap(({ eventNames = [] }) => eventNames)).toEqual(asked.eventNames ?? []);
});

test.each([0, 300, MAX_LIST_VALUES])(
  'partsOf keeps each part within the value limit of the service, beside %i values of the rule',
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
