import { expect, test } from 'vitest';
import { timingRemarks } from '../../../shared/lint/timing.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

test.each<[string, Record<string, unknown>, string[]]>([
  ['a day that has settled by then', { every: 'day at 01:00', settle: '30 minutes' }, []],
  [
    'a day that has not settled by then',
    { every: 'day at 00:05', settle: '1 hour' },
    [
      'evaluated-late: the first run after a day comes 5 minutes after its end, but "settle" is 1 hour, so the run after that evaluates it; use a later "every" or a shorter "settle"',
    ],
  ],
  ['an hour that has settled by then', { every: 'hour at :20', settle: '20 minutes' }, []],
  [
    'an hour that has not settled by then',
    { every: 'hour at :20', settle: '30 minutes' },
    [
      'evaluated-late: the first run after an hour comes 20 minutes after its end, but "settle" is 30 minutes, so the run after that evaluates it; use a later "every" or a shorter "settle"',
    ],
  ],
  ['an hour that a later quarter evaluates', { every: '15 minutes', settle: '20 minutes' }, []],
  ['an hour that the first run after settling evaluates', { every: '15 minutes', settle: '50 minutes' }, []],
  ['weekdays, where Monday evaluates three days', { every: 'weekday at 09:00' }, []],
  [
    'a day whose users need a day',
    { metric: 'event_users', filters: [], funnel: ['a', 'b'], within: '1 day', every: 'day at 07:00' },
    [],
  ],
  ['a weekend that Monday evaluates', { every: 'monday at 09:00' }, []],
])('%s', (_name, overrides, remarks) => {
  const rule = ruleNamed('a', overrides);
  expect(timingRemarks(rule, NOW).map(({ code, message }) => `${code}: ${message}`)).toEqual(remarks);
});
