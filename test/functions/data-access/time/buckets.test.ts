import { describe, expect, test } from 'vitest';
import { ticks } from '../../../../functions/data-access/time/buckets.ts';
import { boundEnd, boundStart, offsetPeriods } from '../../../../functions/data-access/time/calendar.ts';
import type { BucketUnit } from '../../../../shared/contract/attributes.ts';

function labels(units: BucketUnit[], [lower, upper]: [string, string], zone: string): string[] {
  const span = { from: boundStart(lower, zone), to: boundEnd(upper, zone) };
  return ticks(units, offsetPeriods(span, zone)).map((tick) => tick.labels.join(' '));
}

describe('steps of the time axis', () => {
  test('a day has 23 or 25 hours when the clock changes', () => {
    const spring = labels(['hour'], ['2026-03-29', '2026-03-29'], 'Europe/Berlin');
    expect(spring).toHaveLength(23);
    expect(spring.slice(1, 3)).toEqual(['2026-03-29T01:00:00+01:00', '2026-03-29T03:00:00+02:00']);
    const autumn = labels(['hour'], ['2026-10-25', '2026-10-25'], 'Europe/Berlin');
    expect(autumn).toHaveLength(25);
    expect(autumn.slice(2, 4)).toEqual(['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00']);
  });

  test('minutes and quarters of an hour that the clock repeats are apart', () => {
    const quarters = labels(['quarter_hour'], ['2026-10-25', '2026-10-25'], 'Europe/Berlin');
    expect(quarters).toHaveLength(100);
    expect(quarters.slice(11, 13)).toEqual(['2026-10-25T02:45:00+02:00', '2026-10-25T02:00:00+01:00']);
    const minutes = labels(['minute', 'day'], ['2026-03-29', '2026-03-29'], 'Europe/Berlin');
    expect(minutes).toHaveLength(23 * 60);
    expect(minutes.slice(119, 121)).toEqual([
      '2026-03-29T01:59:00+01:00 2026-03-29',
      '2026-03-29T03:00:00+02:00 2026-03-29',
    ]);
  });

  test('hours start with the local hour in a zone with a half-hour offset', () => {
    const hours = labels(['hour'], ['2026-01-01', '2026-01-01'], 'Asia/Kolkata');
    expect(hours).toHaveLength(24);
    expect(hours[0]).toBe('2026-01-01T00:00:00+05:30');
  });

  test('days, months, and weeks named by their Monday', () => {
    expect(labels(['day'], ['2026-03-28', '2026-03-30'], 'Europe/Berlin')).toEqual([
      '2026-03-28',
      '2026-03-29',
      '2026-03-30',
    ]);
    expect(labels(['week'], ['2025-12-31', '2026-01-05'], 'Europe/Berlin')).toEqual([
      '2025-12-29',
      '2026-01-05',
    ]);
    expect(labels(['month'], ['2025-12-31', '2026-02-01'], 'America/New_York')).toEqual([
      '2025-12',
      '2026-01',
      '2026-02',
    ]);
  });

  test('two units have a step for each existing pair', () => {
    expect(labels(['week', 'month'], ['2026-01-26', '2026-02-08'], 'UTC')).toEqual([
      '2026-01-26 2026-01',
      '2026-01-26 2026-02',
      '2026-02-02 2026-02',
    ]);
  });

  test('an empty span has no steps, and no units have one step', () => {
    const empty = offsetPeriods({ from: 0, to: 0 }, 'UTC');
    expect(ticks(['day'], empty)).toEqual([]);
    expect(ticks([], empty)).toEqual([{ starts: [], labels: [] }]);
  });
});
