import { describe, expect, it } from 'vitest';
import { holidaysBetween } from '../../bench/calibration/holidays.ts';
import { falseRejections } from '../../bench/calibration/quiet-pairs.ts';
import { type Series, seriesOf } from '../../bench/detection/series.ts';
import { drawsFor, poisson } from '../../local/data/demo/draws.ts';
import { DAY_MS } from '../../shared/units/durations.ts';

describe('holidays', () => {
  it('are the federal holidays of the United States with the days around them', () => {
    const holidays = holidaysBetween(Date.UTC(2014, 0, 1), Date.UTC(2014, 11, 31));
    const days = holidays.map(({ startAt }) => new Date(startAt + DAY_MS).toISOString().slice(0, 10));
    expect(days.filter((day) => day.startsWith('2014')).toSorted()).toEqual([
      '2014-01-01',
      '2014-01-20',
      '2014-02-17',
      '2014-05-26',
      '2014-07-04',
      '2014-09-01',
      '2014-10-13',
      '2014-11-11',
      '2014-11-27',
      '2014-12-25',
    ]);
    expect(days).toContain('2015-01-01');
    expect(holidays.every(({ startAt, endAt }) => endAt - startAt === 3 * DAY_MS)).toBe(true);
  });
});

describe('quiet pairs', () => {
  const quiet = { labels: [], isLabelled: false };
  const draw = drawsFor(1, 'days');
  const rows = Array.from({ length: 400 }, (_, i) => ({ at: i * DAY_MS, value: poisson(draw, 500) }));
  const [series] = seriesOf('days', rows, DAY_MS, quiet);
  const outcomesOf = (each: Series | undefined, unquiet = [{ startAt: 0, endAt: 0 }]) =>
    each ? falseRejections(each, unquiet, 0.01) : [];

  it('are counted for each comparison with at least 300 pairs with full history', () => {
    expect(outcomesOf(series).map(({ name, to }) => [name, to])).toEqual([
      ['days by day, day before', 400 - 1 - 56],
      ['days by day, same weekday', 400 - 7 - 56],
    ]);
  });

  it('exclude both pairs with a disturbed day', () => {
    const disturbed = [{ startAt: 200 * DAY_MS, endAt: 201 * DAY_MS }];
    expect(outcomesOf(series, disturbed).map(({ to }) => to)).toEqual([400 - 1 - 56 - 2, 400 - 7 - 56 - 2]);
  });

  it('are rarely reported as a change', () => {
    for (const { of } of outcomesOf(series)) expect(of).toBeLessThan(8);
  });
});
