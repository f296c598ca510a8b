import { expect, test } from 'vitest';
import { timetable } from '../../cli/timetable.ts';
import { ruleNamed } from '../fixtures/builders.ts';

const FRIDAY = Date.parse('2026-11-20T09:10:00+01:00');
const zone = 'Europe/Berlin';

test('tells rules that are looked at alike together, and others apart', () => {
  const rules = [
    ruleNamed('a', { every: 'day at 07:00', zone }),
    ruleNamed('b', { every: 'hour at :20', zone }),
    ruleNamed('c', { every: 'cron 0 7 * * *', zone }),
    ruleNamed('d', { every: 'day at 07:00', zone: 'UTC' }),
  ];
  expect(timetable(rules, FRIDAY, 2)).toEqual([
    'every day at 07:00, for each day (Europe/Berlin)',
    '  a, c',
    '  Sat 2026-11-21 07:00 judges 2026-11-20',
    '  Sun 2026-11-22 07:00 judges 2026-11-21',
    'every hour at :20, for each hour (Europe/Berlin)',
    '  b',
    '  Fri 2026-11-20 09:20 judges 2026-11-20 08:00 to 09:00',
    '  Fri 2026-11-20 10:20 judges 2026-11-20 09:00 to 10:00',
    'every day at 07:00, for each day (UTC)',
    '  d',
    '  Sat 2026-11-21 07:00 judges 2026-11-20',
    '  Sun 2026-11-22 07:00 judges 2026-11-21',
  ]);
});

test.each([
  ['weekday at 09:00', 'day', 'Mon 2026-11-23 09:00 judges 2026-11-20 to 2026-11-22, 3 days'],
  ['weekday at 09:00', 'hour', 'Mon 2026-11-23 09:00 judges 2026-11-20 08:00 to 2026-11-23 08:00, 72 hours'],
  ['30 minutes', 'day', 'Fri 2026-11-20 09:30 judges nothing new'],
  ['hour at :20', 'hour', 'Fri 2026-11-20 09:20 judges 2026-11-20 08:00 to 09:00'],
  ['monday at 09:00', 'week', 'Mon 2026-11-23 09:00 judges 2026-11-16 to 2026-11-22'],
  ['month at 09:00', 'month', 'Tue 2026-12-01 09:00 judges 2026-11-01 to 2026-11-30'],
])('"%s" for each %s: %s', (every, window, line) => {
  const lines = timetable([ruleNamed('a', { every, window, zone })], FRIDAY, 1);
  expect(lines.at(-1)).toBe(`  ${line}`);
});

test('keeps to 80 columns, however many rules there are', () => {
  const rules = Array.from({ length: 100 }, (_, i) => ruleNamed(`purchases-of-country-${i}`));
  const lines = timetable(rules, FRIDAY, 5);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join(' ').match(/purchases-of-country-\d+/g)).toEqual(rules.map(({ id }) => id));
});
