import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { holidaysOfZone } from '../../../shared/time/holiday-calendar.ts';
import { occasionOn, occasionsOf } from '../../../shared/time/occasion.ts';

const US = { country: 'US', days: [] };

test.each([
  ['2025-11-26', 'the day before Thanksgiving Day', true],
  ['2025-11-27', 'Thanksgiving Day', false],
  ['2025-11-28', 'the day after Thanksgiving Day', true],
  ['2025-11-29', 'the weekend after Thanksgiving Day', true],
  ['2025-08-30', 'the weekend before Labor Day', true],
])('%s is %s', (date, name, isNear) => {
  expect(occasionOn(Temporal.PlainDate.from(date), US)).toEqual({ name, isNear });
});

test('a day on which banks are closed is a holiday', () => {
  const eve = occasionOn(Temporal.PlainDate.from('2025-12-24'), { country: 'DE', days: [] });
  expect(eve).toEqual({ name: 'Heiliger Abend', isNear: false });
});

test.each(['2025-11-25', '2025-11-30', '2025-09-03'])('%s is a usual day', (date) => {
  expect(occasionOn(Temporal.PlainDate.from(date), US)).toBeUndefined();
});

test('a day is found by its number since 1970', () => {
  const occasionOnDay = occasionsOf({ days: ['2026-03-25'] });
  const day = Date.UTC(2026, 2, 25) / 86_400_000;
  expect(occasionOnDay(day)).toEqual({ name: '2026-03-25, a day the rule names', isNear: false });
  expect(occasionOnDay(day + 2)).toBeUndefined();
});

test.each([
  ['Europe/Berlin', 'DE'],
  ['America/Los_Angeles', 'US'],
  ['Asia/Kolkata', 'IN'],
  ['UTC', undefined],
  ['Etc/GMT+3', undefined],
])('the zone %s has the holidays of %s', (zone, country) => {
  expect(holidaysOfZone(zone)?.country).toBe(country);
});
