import { defineRules } from 'deltawatch/rules';
import { expect, test } from 'vitest';
import type { CadenceWords } from '../../../shared/rules/define-rules.ts';
import { parseCadence } from '../../../shared/time/parse-cadence.ts';
import { codeIn, documentAt, tableIn } from '../../docs/documents.ts';

const OF_ALL = { app: 'shop', owner: 'growth', every: 'day at 07:00', title: 'A', anomaly: true } as const;

test('defineRules returns its argument unchanged', () => {
  const file = { defaults: OF_ALL, rules: [{ id: 'a', metric: 'sessions' as const }] };
  expect(defineRules(file)).toBe(file);
});

// The type check runs these tests: it fails at a @ts-expect-error whose line has no error.
test('the type of defineRules rejects invalid rules', () => {
  defineRules({
    defaults: OF_ALL,
    // @ts-expect-error there is no such metric
    rules: [{ id: 'a', metric: 'session' }],
  });
  defineRules({
    // @ts-expect-error there is no such key
    defaults: { ...OF_ALL, apps: 'shop' },
    rules: [{ id: 'a', metric: 'sessions' }],
  });
  defineRules({
    // @ts-expect-error there is no such cadence
    defaults: { app: 'shop', owner: 'growth', title: 'A', every: 'days at 7' },
    rules: [{ id: 'a', metric: 'sessions' }],
  });
  defineRules({
    // @ts-expect-error nothing gives the app
    rules: [{ id: 'a', title: 'A', owner: 'growth', every: 'hour', metric: 'sessions' }],
  });
  defineRules({
    defaults: OF_ALL,
    rules: [
      { id: 'z', metric: 'sessions', anomaly: null, fire: { change: { below: '-30%' } } },
      // @ts-expect-error a required key cannot be null
      { id: 'y', metric: 'sessions', app: null },
      // @ts-expect-error a bound of change is a percentage
      { id: 'a', metric: 'sessions', fire: { change: { below: '-30' } } },
      // @ts-expect-error a duration has a unit
      { id: 'b', metric: 'sessions', settle: '1 h' },
      // @ts-expect-error there is no such attribute
      { id: 'c', metric: 'sessions', filters: [{ attribute: 'country', operator: 'equal', value: 'DE' }] },
      // @ts-expect-error there is no such operator
      { id: 'd', metric: 'sessions', filters: [{ attribute: 'device_country', operator: '=', value: 'DE' }] },
      // @ts-expect-error there is no such attribute
      { id: 'e', metric: 'sessions', group_by: 'country' },
      // @ts-expect-error there is no such key
      { id: 'f', metric: 'sessions', fires: { change: { below: '-30%' } } },
      // @ts-expect-error an id is needed
      { metric: 'sessions' },
    ],
  });
});

test('the type of "every" accepts each form in the reference', () => {
  const words = [
    'hour',
    'hour at :15',
    '15 minutes',
    'day at 07:00',
    'weekday at 09:00',
    'weekend at 10:00',
    'monday at 07:00',
    'monday and thursday at 07:00',
    'monday, tuesday and friday at 07:00',
    'month at 07:00',
    'cron */15 9-17 * * 1-5',
  ] satisfies CadenceWords[];
  const named = tableIn(documentAt('docs/reference/rules.md'), 'cadence').flatMap(([form = '', runs = '']) =>
    codeIn(`${form} ${runs}`).filter((text) => parseCadence(text, 'UTC').kind === 'cadence'),
  );
  expect(words).toEqual(expect.arrayContaining(named));
});
