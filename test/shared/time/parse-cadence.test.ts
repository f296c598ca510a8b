import { describe, expect, it } from 'vitest';
import { parseCadence } from '../../../shared/time/parse-cadence.ts';
import { cadenceOf } from '../../fixtures/builders.ts';

const ZONE = 'Europe/Berlin';

it.each([
  ['hour', { minutes: [0], zone: 'UTC' }],
  ['20 minutes', { minutes: [0, 20, 40], zone: 'UTC' }],
  ['weekday at 09:30', { minutes: [30], hours: [9], weekdays: [1, 2, 3, 4, 5], zone: ZONE }],
  ['weekend at 10:00', { minutes: [0], hours: [10], weekdays: [0, 6], zone: ZONE }],
  ['friday, monday and sunday at 07:00', { minutes: [0], hours: [7], weekdays: [0, 1, 5], zone: ZONE }],
  ['month at 07:00', { minutes: [0], hours: [7], days: [1], zone: ZONE }],
  ['cron 0 9 * * 1-5', { minutes: [0], hours: [9], weekdays: [1, 2, 3, 4, 5], zone: ZONE }],
  ['cron */30 9-17/4 * jan,JUL *', { minutes: [0, 30], hours: [9, 13, 17], months: [1, 7], zone: ZONE }],
  ['cron 0 9 */10 * 0-6', { minutes: [0], hours: [9], days: [1, 11, 21, 31], zone: ZONE }],
  ['cron 0 9 * * fri-sun', { minutes: [0], hours: [9], weekdays: [0, 5, 6], zone: ZONE }],
  ['cron 0 9 * * 7', { minutes: [0], hours: [9], weekdays: [0], zone: ZONE }],
])('parses "%s"', (words, cadence) => {
  expect(cadenceOf(words, ZONE)).toEqual(cadence);
});

const reasonFor = (words: string, zone = ZONE) => {
  const parsed = parseCadence(words, zone);
  return parsed.kind === 'refused' ? parsed.reason : 'none';
};

describe('a cadence is refused', () => {
  it.each([
    ['hours'],
    ['hour at :60'],
    ['7 minutes'],
    ['day'],
    ['day at 24:00'],
    ['hourly at 7:00'],
    ['day at 7:0'],
    ['someday at 07:00'],
    ['monday and funday at 07:00'],
    ['cron'],
  ])('as "%s", with the accepted forms', (words) => {
    expect(reasonFor(words)).toMatch(/ is not a cadence; accepted: "hour", /);
  });

  it.each([
    ['cron 0 9 * *', /^cron needs five fields \(minute, hour, .*\), not 4$/],
    ['cron 0 0 9 * * 1', /not 6; remove seconds and years$/],
    ['cron 0 9 ? * MON-FRI *', /not 6; remove seconds and years$/],
    ['cron 60 * * * *', /^"60" is not a valid minute; write "\*", a number from 0 to 59,/],
    ['cron 0 9 L * *', /^"L" is not a valid day of the month; write/],
    ['cron 0 9 0 * *', /^"0" is not a valid day of the month; write .* from 1 to 31/],
    ['cron 0 9 * * 8', /^"8" is not a valid day of the week; write/],
    ['cron 0 9 * * 5-1', /^"5-1" is not a valid day of the week; write/],
    ['cron 0 9 * * fri#2', /^"fri#2" is not a valid day of the week; write/],
    ['cron */0 9 * * *', /^"\*\/0" is not a valid minute; write/],
    ['cron 0 17-9 * * *', /^"17-9" is not a valid hour; write/],
    ['cron 0 9 1 * 1', /^use days of the month or days of the week, not both;/],
    ['cron 0 9 30 2 *', / never runs, because none of its months has such a day;/],
  ])('as "%s", with the reason', (words, reason) => {
    expect(reasonFor(words)).toMatch(reason);
  });
});
