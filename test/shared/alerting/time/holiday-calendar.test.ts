import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { holidayOn } from '../../../../shared/alerting/time/holiday-calendar.ts';

test.each([
  ['Germany', { country: 'DE' }, null],
  ['Bavaria', { country: 'DE', region: 'BY' }, 'Heilige Drei Könige'],
  ['Hamburg', { country: 'DE', region: 'HH' }, null],
])('6 January is a holiday only in regions that observe it: %s', (_, holidays, name) => {
  expect(holidayOn(Temporal.PlainDate.from('2026-01-06'), { days: [], ...holidays })).toBe(name);
});

test.each([
  ['Rosenmontag, an observance', '2026-02-16', null],
  ['Karfreitag, a public holiday', '2026-04-03', 'Karfreitag'],
])('only public holidays count: %s', (_, date, name) => {
  expect(holidayOn(Temporal.PlainDate.from(date), { days: [], country: 'DE' })).toBe(name);
});
