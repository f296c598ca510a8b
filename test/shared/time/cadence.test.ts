import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cadence,
  cadenceName,
  longestBreakHours,
  longestGapHours,
  naturalWindow,
  nextRun,
  schedulerExpression,
} from '../../../shared/time/cadence.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { minutesOf, schedulerRuns } from '../../fakes/wall-clock-scheduler.ts';
import { cadenceOf } from '../../fixtures/builders.ts';

function runsOf(cadence: Cadence, after: number, count: number): number[] {
  const runs: number[] = [];
  for (let at = after; runs.length < count; ) {
    at = nextRun(cadence, at);
    runs.push(at);
  }
  return runs;
}

describe('the next runs', () => {
  it.each([
    ['hour', 'UTC', '2026-03-02T10:00:00Z', ['2026-03-02T11:00', '2026-03-02T12:00']],
    ['hour at :15', 'Europe/Berlin', '2026-03-02T10:15:00Z', ['2026-03-02T11:15', '2026-03-02T12:15']],
    ['30 minutes', 'Europe/Berlin', '2026-03-02T10:15:00Z', ['2026-03-02T10:30', '2026-03-02T11:00']],
    ['day at 07:00', 'Europe/Berlin', '2026-03-02T05:59:00Z', ['2026-03-02T06:00', '2026-03-03T06:00']],
    ['weekday at 09:00', 'UTC', '2026-03-05T10:00:00Z', ['2026-03-06T09:00', '2026-03-09T09:00']],
    ['weekend at 10:00', 'UTC', '2026-03-05T10:00:00Z', ['2026-03-07T10:00', '2026-03-08T10:00']],
    ['monday at 07:00', 'UTC', '2026-03-02T07:00:00Z', ['2026-03-09T07:00', '2026-03-16T07:00']],
    ['monday and thursday at 07:00', 'UTC', '2026-03-02T07:00:00Z', ['2026-03-05T07:00', '2026-03-09T07:00']],
    ['month at 07:00', 'America/New_York', '2026-03-02T07:00:00Z', ['2026-04-01T11:00', '2026-05-01T11:00']],
    ['cron */20 9,17 * * 5', 'UTC', '2026-03-06T09:30:00Z', ['2026-03-06T09:40', '2026-03-06T17:00']],
    ['cron 0 9 29 2 *', 'UTC', '2026-03-06T09:30:00Z', ['2028-02-29T09:00', '2032-02-29T09:00']],
    ['cron 45 * * * *', 'Asia/Kathmandu', '2026-03-06T09:00:00Z', ['2026-03-06T10:00', '2026-03-06T11:00']],
  ])('of "%s" in %s after %s', (words, zone, after, expected) => {
    const runs = runsOf(cadenceOf(words, zone), Date.parse(after), expected.length);
    expect(runs.map((at) => new Date(at).toISOString().slice(0, 16))).toEqual(expected);
  });
});

/** Two days around each change of the clocks; Kathmandu has none. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Asia/Kathmandu', '2026-03-29'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
].map(([zone = '', date = '']) => {
  const from = Date.parse(date) - 24 * HOUR_MS;
  return { zone, date, from, minutes: minutesOf(zone, from, from + 48 * HOUR_MS) };
});

const CADENCES: Omit<Cadence, 'zone'>[] = [
  { minutes: [0] },
  { minutes: [0, 15, 30, 45], hours: [0, 1, 2, 3, 4, 9, 10, 11], weekdays: [0, 6] },
  { minutes: [30], hours: [0] },
  { minutes: [15], hours: [1] },
  { minutes: [30], hours: [2] },
  { minutes: [0], hours: [3], weekdays: [0, 5] },
];

describe.each(CHANGES)('in $zone around $date', ({ zone, from, minutes }) => {
  it.each(CADENCES)('nextRun matches the scheduler: %j', (fields) => {
    const cadence = { ...fields, zone };
    const expected = schedulerRuns(schedulerExpression(cadence).expression, minutes);
    expect(expected.length).toBeGreaterThan(0);
    expect(runsOf(cadence, from - 1, expected.length)).toEqual(expected);
  });
});

it('nextRun returns the first scheduled run after a given time', () => {
  const some = (from: number, through: number) =>
    fc.option(
      fc
        .uniqueArray(fc.integer({ min: from, max: through }), { minLength: 1 })
        .map((values) => values.toSorted((a, b) => a - b)),
      { nil: undefined },
    );
  const days = fc.oneof(fc.record({ days: some(1, 31) }), fc.record({ weekdays: some(0, 6) }));
  const times = fc.record({ minutes: some(0, 59), hours: some(0, 23) });
  const after = fc.integer({ min: 0, max: 36 * HOUR_MS });
  fc.assert(
    fc.property(fc.constantFrom(...CHANGES), times, days, after, ({ zone, from, minutes }, time, day, ms) => {
      const cadence = { ...time, ...day, zone };
      const later = schedulerRuns(schedulerExpression(cadence).expression, minutes).find(
        (at) => at > from + ms,
      );
      const run = nextRun(cadence, from + ms);
      if (later === undefined) expect(run).toBeGreaterThan(from + 48 * HOUR_MS);
      else expect(run).toBe(later);
    }),
  );
});

it.each([
  ['hour at :15', 'cron(15 * * * ? *)', 'UTC'],
  ['15 minutes', 'cron(0,15,30,45 * * * ? *)', 'UTC'],
  ['day at 07:05', 'cron(5 7 * * ? *)', 'Europe/Berlin'],
  ['weekday at 09:00', 'cron(0 9 ? * MON-FRI *)', 'Europe/Berlin'],
  ['weekend at 09:00', 'cron(0 9 ? * SUN,SAT *)', 'Europe/Berlin'],
  ['sunday at 23:00', 'cron(0 23 ? * SUN *)', 'Europe/Berlin'],
  ['month at 07:00', 'cron(0 7 1 * ? *)', 'Europe/Berlin'],
  ['cron */15 9-17 * * 1-5', 'cron(0,15,30,45 9-17 ? * MON-FRI *)', 'Europe/Berlin'],
  ['cron 0 9 1,15 */3 *', 'cron(0 9 1,15 1,4,7,10 ? *)', 'Europe/Berlin'],
])('"%s" is %s in %s for EventBridge Scheduler', (words, expression, zone) => {
  expect(schedulerExpression(cadenceOf(words, 'Europe/Berlin'))).toEqual({ expression, zone });
});

describe('the names of cadences', () => {
  it.each([
    ['hour at :05', 'minute-5-UTC'],
    ['weekday at 07:00', 'weekday-1to5-hour-7-minute-0-Europe-Berlin'],
    ['cron * * * * *', 'each-minute-Europe-Berlin'],
  ])('describe "%s"', (words, name) => {
    expect(cadenceName(cadenceOf(words, 'Europe/Berlin'))).toBe(name);
  });

  it('are based on equal cadences for equivalent notations', () => {
    const [words, cron] = ['weekend at 07:00', 'cron 0 7 * * sat-sun'].map((each) => cadenceOf(each, 'UTC'));
    expect(words).toEqual(cron);
  });

  it.each([
    [cadenceOf('day at 07:00', 'Europe/Berlin'), cadenceOf('day at 07:00', 'Europe/Paris')],
    [cadenceOf('day at 07:00', 'Etc/GMT+5'), cadenceOf('day at 07:00', 'Etc/GMT-5')],
    [cadenceOf('cron */2 * * * *', 'UTC'), cadenceOf('cron 1-59/2 * * * *', 'UTC')],
  ])('differ for different cadences and have at most 64 characters', (one, other) => {
    expect(cadenceName(one)).not.toBe(cadenceName(other));
    expect(cadenceName(one)).toMatch(/^[A-Za-z0-9-]{1,64}$/);
  });
});

it.each([
  ['hour', 'hour', 1],
  ['15 minutes', 'hour', 0.25],
  ['day at 07:00', 'day', 24],
  ['weekday at 09:00', 'day', 72],
  ['cron */15 9-17 * * 1-5', 'hour', 63.25],
  ['monday and thursday at 07:00', 'day', 96],
  ['monday at 07:00', 'week', 168],
  ['month at 07:00', 'month', 31 * 24],
  ['cron 0 9 29 2 *', 'month', 1461 * 24],
])('"%s" evaluates each %s, with breaks of up to %d hours', (words, grain, hours) => {
  const cadence = cadenceOf(words, 'UTC');
  expect([naturalWindow(cadence), longestBreakHours(cadence)]).toEqual([grain, hours]);
});

it.each([
  ['15 minutes', 0.25],
  ['hour at :05', 1],
  ['cron 5 0,20 * * *', 20],
  ['cron 5 9,17 * * *', 16],
  ['cron 0,50 9 * * 1-5', 72 - 50 / 60],
  ['day at 07:00', 24],
  ['month at 07:00', 31 * 24],
])('"%s" has gaps of up to %d hours', (words, hours) => {
  expect(longestGapHours(cadenceOf(words, 'UTC'))).toBeCloseTo(hours, 9);
});
