import { describe, expect, it } from 'vitest';
import { cadenceName, nextRun, parseCadence, schedulerExpression } from '../../../shared/alerting/cadence.ts';

function runsOf(words: string, zone: string, after: string, count: number): string[] {
  const cadence = parseCadence(words, zone);
  if (!cadence) throw new Error(`"${words}" is no cadence`);
  const runs: string[] = [];
  for (let at = Date.parse(after); runs.length < count; ) {
    at = nextRun(cadence, at);
    runs.push(new Date(at).toISOString().slice(0, 16));
  }
  return runs;
}

describe('the next runs', () => {
  it.each([
    ['hour', 'UTC', '2026-03-02T10:00:00Z', ['2026-03-02T11:00', '2026-03-02T12:00']],
    ['hour at :15', 'Europe/Berlin', '2026-03-02T10:15:00Z', ['2026-03-02T11:15', '2026-03-02T12:15']],
    ['day at 07:00', 'Europe/Berlin', '2026-03-02T05:59:00Z', ['2026-03-02T06:00', '2026-03-03T06:00']],
    ['monday at 07:00', 'UTC', '2026-03-02T07:00:00Z', ['2026-03-09T07:00', '2026-03-16T07:00']],
    // The clocks go from 02:00 to 03:00 on the 29th: 02:30 does not exist there and is left out.
    ['day at 02:30', 'Europe/Berlin', '2026-03-28T00:00:00Z', ['2026-03-28T01:30', '2026-03-30T00:30']],
    // They go from 03:00 back to 02:00 on the 25th: 02:30 happens twice and runs once.
    ['day at 02:30', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
  ])('of "%s" in %s after %s', (words, zone, after, expected) => {
    expect(runsOf(words, zone, after, expected.length)).toEqual(expected);
  });
});

it.each([
  ['hour at :15', 'cron(15 * * * ? *)', 'UTC'],
  ['day at 07:05', 'cron(5 7 * * ? *)', 'Europe/Berlin'],
  ['sunday at 23:00', 'cron(0 23 ? * SUN *)', 'Europe/Berlin'],
])('"%s" is %s in %s for EventBridge Scheduler', (words, expression, zone) => {
  const cadence = parseCadence(words, 'Europe/Berlin');
  expect(cadence && schedulerExpression(cadence)).toEqual({ expression, zone });
});

it.each(['hours', 'hour at 15', 'hour at :60', 'day', 'day at 24:00', 'someday at 07:00', 'day at 7:00'])(
  '"%s" is no cadence',
  (words) => expect(parseCadence(words, 'UTC')).toBeUndefined(),
);

it('names cadences apart by their zone', () => {
  const names = ['Europe/Berlin', 'Europe/Paris'].map((zone) => {
    const cadence = parseCadence('day at 07:00', zone);
    return cadence && cadenceName(cadence);
  });
  expect(names).toEqual(['daily-at-0700-Europe-Berlin', 'daily-at-0700-Europe-Paris']);
});

it('names cadences apart by the sign of their zone', () => {
  const names = ['Etc/GMT+5', 'Etc/GMT-5'].map((zone) => {
    const cadence = parseCadence('day at 07:00', zone);
    return cadence && cadenceName(cadence);
  });
  expect(new Set(names).size).toBe(2);
});
