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

describe('a time that a clock change skips', () => {
  it.each([
    [
      'day at 02:30',
      'Europe/Berlin',
      'on 2027-03-28 the clocks of Europe/Berlin go from 02:00 to 03:00, which skips 02:30; use 03:00',
    ],
    [
      'sunday at 02:00',
      'America/New_York',
      'on 2027-03-14 the clocks of America/New_York go from 02:00 to 03:00, which skips 02:00; use 03:00',
    ],
    [
      'day at 02:15',
      'Australia/Lord_Howe',
      'on 2027-10-03 the clocks of Australia/Lord_Howe go from 02:00 to 02:30, which skips 02:15; use 02:30',
    ],
    [
      'friday at 00:00',
      'Africa/Cairo',
      'on 2027-04-30 the clocks of Africa/Cairo go from 00:00 to 01:00, which skips 00:00; use 01:00',
    ],
  ])('is refused: "%s" in %s', (words, zone, reason) => {
    expect(reasonFor(words, zone)).toBe(reason);
  });

  it.each([
    ['the time after the change', 'day at 03:00', 'Europe/Berlin'],
    ['a weekday on which clocks never change', 'saturday at 02:30', 'Europe/Berlin'],
    ['a date on which clocks never change', 'month at 02:30', 'Europe/Berlin'],
    ['a cadence that runs again on the same day', 'cron 30 2,14 * * *', 'Europe/Berlin'],
    ['a zone without summer time', 'day at 02:30', 'Asia/Kathmandu'],
    ['an unknown zone', 'day at 02:30', 'Europe/Nowhere'],
  ])('is not refused: %s', (_name, words, zone) => {
    expect(reasonFor(words, zone)).toBe('none');
  });
});
