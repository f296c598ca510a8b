import { describe, expect, it } from 'vitest';
import { youngSeries } from '../../bench/calibration/young.ts';
import { seriesOf } from '../../bench/detection/series.ts';
import { drawsFor, poisson } from '../../local/data/demo/draws.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';

const LABELS = { labels: [], isLabelled: false };
const draw = drawsFor(1, 'young');
const days = Array.from({ length: 60 }, (_, i) => ({ at: i * DAY_MS, value: poisson(draw, 500) }));
const hours = Array.from({ length: 60 * 24 }, (_, i) => ({ at: i * HOUR_MS, value: poisson(draw, 4) }));

const rowsOf = (name: string, rows: typeof days, spanMs: number) =>
  youngSeries(
    seriesOf(name, rows, spanMs, LABELS).map((series) => ({ series, unquiet: [] })),
    0.01,
  );

describe('series cut short', () => {
  it('are measured for each length of history, at full size and thinned', () => {
    const rows = rowsOf('days', days, DAY_MS);
    expect(rows.map(({ weeks }) => weeks)).toEqual([1, 2, 3, 4, 8, 1, 2, 3, 4, 8, 1, 2, 3, 4, 8]);
    expect(rows.filter(({ weeks }) => weeks < 4).every(({ series }) => series === 1)).toBe(true);
    const small = rowsOf('hours', hours, HOUR_MS);
    expect(small.filter(({ size, series }) => size === '300 a day' && series > 0)).toEqual([]);
    expect(small.find(({ size, weeks }) => size === '36 a day' && weeks === 2)?.series).toBe(1);
  });

  it('rarely report chance as a change, and detect 36 to 127', () => {
    for (const { falsePct, foundPct, series, size } of rowsOf('days', days, DAY_MS)) {
      if (series === 0) continue;
      expect(falsePct).toBeLessThan(3);
      expect(foundPct[0]).toBeGreaterThan(size === '36 a day' ? 60 : 99);
    }
  });
});
