import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { holidayIn, holidayOn } from '../../../shared/time/holiday-calendar.ts';

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

test.each([
  ['KR', '2026-02-17', '설날'],
  ['KR', '2026-02-18', '설날, day 2'],
  ['KR', '2026-02-19', '설날, day 3'],
  ['KR', '2026-02-20', null],
  ['TR', '2026-03-22', 'Ramazan Bayramı, day 3'],
  ['TR', '2026-03-23', null],
  ['BA', '2025-04-01', 'Ramazanski bajram, day 3'],
])(
  'each day of a holiday counts, whole ones also in the night of a clock change: %s %s',
  (country, date, name) => {
    expect(holidayOn(Temporal.PlainDate.from(date), { days: [], country })).toBe(name);
  },
);

test.each([
  ['hour', 'Karfreitag'],
  ['day', 'Karfreitag'],
  ['week', null],
  ['month', null],
] as const)('a window of a %s on a holiday: %s', (window, name) => {
  const startAt = Date.UTC(2026, 3, 3, 10);
  const rule = { holidays: { days: [], country: 'DE' }, zone: 'Europe/Berlin', window };
  expect(holidayIn({ startAt, endAt: startAt + 3_600_000 }, rule)).toBe(name);
});
