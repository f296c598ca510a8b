import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeTicks } from '../../../shared/charts/time-ticks.ts';
import { valueTicks, valueTickTexts } from '../../../shared/charts/value-ticks.ts';
import type { Grain } from '../../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY } from '../../fixtures/builders.ts';

describe('valueTicks', () => {
  test.each<[number, number, boolean, string[]]>([
    [0, 0, false, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
    [0, 7, false, ['0', '2', '4', '6', '8']],
    [0, 1204, false, ['0', '250', '500', '750', '1,000', '1,250']],
    [0, 48_000, false, ['0', '10K', '20K', '30K', '40K', '50K']],
    [0, 3.2e9, false, ['0', '1B', '2B', '3B', '4B']],
    [0, 0.00046, true, ['0%', '0.01%', '0.02%', '0.03%', '0.04%', '0.05%']],
    [0, 0.3, true, ['0%', '10%', '20%', '30%']],
    [9_600, 9_900, false, ['9,600', '9,700', '9,800', '9,900']],
    [12_310, 12_350, false, ['12.31K', '12.32K', '12.33K', '12.34K', '12.35K']],
  ])('from %d to %d', (least, most, isShare, texts) => {
    expect(valueTickTexts(valueTicks(least, most), isShare)).toEqual(texts);
  });

  test('returns three to seven distinct ticks that span all values', () => {
    const amount = fc.double({ min: 1e-5, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(amount, fc.constantFrom(0, 0.8, 0.9999), (most, part) => {
        const ticks = valueTicks(most * part, most);
        expect(ticks.length).toBeGreaterThanOrEqual(3);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(ticks[0]).toBeLessThanOrEqual(most * part * (1 + 1e-9));
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
        expect(new Set(valueTickTexts(ticks, false)).size).toBe(ticks.length);
      }),
    );
  });
});

describe('timeTicks', () => {
  const texts = (span: [number, number], grain: Grain, zone: string, most = 8) =>
    timeTicks(span, { grain, zone }, most).map(({ text }) => text);

  test.each<[string, [number, number], Grain, string, string[]]>([
    [
      'hours of a day',
      [MONDAY, MONDAY + 18 * HOUR_MS],
      'hour',
      'UTC',
      ['2 Mar', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00'],
    ],
    [
      'local midnights',
      [MONDAY, MONDAY + 6 * DAY_MS],
      'hour',
      'Asia/Kolkata',
      ['3 Mar', '4 Mar', '5 Mar', '6 Mar', '7 Mar', '8 Mar'],
    ],
    [
      'Mondays',
      [MONDAY, MONDAY + 41 * DAY_MS],
      'day',
      'UTC',
      ['2 Mar', '9 Mar', '16 Mar', '23 Mar', '30 Mar', '6 Apr'],
    ],
    [
      'months with their year',
      [MONDAY, MONDAY + 400 * DAY_MS],
      'week',
      'UTC',
      ['Apr', 'Jul', 'Oct', 'Jan 2027', 'Apr'],
    ],
    [
      'months for a long span of hours',
      [MONDAY, MONDAY + 250 * DAY_MS],
      'hour',
      'UTC',
      ['Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov'],
    ],
  ])('shows %s', (_, span, grain, zone, expected) => {
    expect(texts(span, grain, zone)).toEqual(expected);
  });

  test('stays at local midnight when the clocks change', () => {
    const from = Date.UTC(2026, 2, 27, 23);
    const ticks = timeTicks([from, from + 4 * DAY_MS], { grain: 'hour', zone: 'Europe/Berlin' }, 6);
    expect(ticks.map(({ at }) => new Date(at).getUTCHours())).toEqual([23, 23, 22, 22, 22]);
  });

  test('returns at most the given number of ticks, all within the span', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu');
    const grains = fc.constantFrom<Grain>('hour', 'day', 'week', 'month');
    fc.assert(
      fc.property(
        zones,
        grains,
        fc.integer({ min: 0, max: 700 }),
        fc.integer({ min: 2, max: 16 }),
        (zone, grain, days, most) => {
          const span: [number, number] = [MONDAY, MONDAY + days * DAY_MS];
          const ticks = timeTicks(span, { grain, zone }, most);
          expect(ticks.length).toBeLessThanOrEqual(most);
          for (const { at } of ticks) expect(at >= span[0] && at <= span[1]).toBe(true);
          if (days > 365) expect(ticks.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 40 },
    );
  });
});
