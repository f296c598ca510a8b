import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CONTESTANTS } from '../../../bench/detection/contestants.ts';
import { generatedSeries } from '../../../bench/detection/generated.ts';
import { inject, isLabelled, SCENARIOS } from '../../../bench/detection/injection.ts';
import { RIVALS } from '../../../bench/detection/rivals.ts';
import { falsePagesAWeek, pagesIn, thresholdFor } from '../../../bench/detection/scoring.ts';
import { readSeries, type Series, seriesOf } from '../../../bench/detection/series.ts';
import { highestScores, watched } from '../../../bench/detection/watching.ts';
import { drawsFor, poisson } from '../../../local/data/demo/draws.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';

/** Monday, 3 March 2025. */
const MONDAY = Date.UTC(2025, 2, 3);

/** Hourly values with a daily pattern, from Monday on. */
function hourly(hours: number, labels: Series['labels'] = []): Series {
  const draw = drawsFor(1, 'hours');
  const rows = Array.from({ length: hours }, (_, i) => ({
    at: MONDAY + i * HOUR_MS,
    value: poisson(draw, 200 * (1 + 0.7 * Math.sin((i * Math.PI) / 12))),
  }));
  const [series] = seriesOf('hours', rows, HOUR_MS, { labels, isLabelled: labels.length > 0 });
  if (!series) throw new Error('no series');
  return series;
}

const GENERATED = generatedSeries();

describe('series', () => {
  test('are read from a folder and summed to hours, without partial hours at the ends', () => {
    const dir = mkdtempSync(join(tmpdir(), 'deltawatch-series-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const minutes = Array.from({ length: 40 }, (_, i) => new Date(MONDAY + (50 + 5 * i) * 60_000));
    const rows = minutes.map((at) => `${at.toISOString().slice(0, 19).replace('T', ' ')},2`);
    writeFileSync(join(dir, 'posts_5min.csv'), `timestamp,value\n${rows.join('\n')}\n`);
    writeFileSync(
      join(dir, 'births_daily.csv'),
      'timestamp,value\n2025-03-03,5.5\n2025-03-04,\n2025-03-05,6\n',
    );
    writeFileSync(
      join(dir, 'labels.json'),
      JSON.stringify({ 'posts_5min.csv': [['2025-03-03 01:30:00', '2025-03-03 02:30:00.000000']] }),
    );
    const [births, posts] = readSeries(dir);
    expect(births).toMatchObject({ grain: 'day', kind: 'mean', isLabelled: false });
    expect(births?.points.map(({ value, slot }) => [value, slot])).toEqual([
      [5.5, 0],
      [null, 1],
      [6, 2],
    ]);
    expect(posts).toMatchObject({ grain: 'hour', kind: 'count', isLabelled: true });
    expect(posts?.points).toEqual(
      [1, 2, 3].map((hour) => ({ at: MONDAY + hour * HOUR_MS, slot: hour, value: 24 })),
    );
    expect(posts?.points.map(({ at }) => posts && isLabelled(posts, at))).toEqual([true, true, false]);
  });

  test('count a repeated hour once when summed', () => {
    const times = [0, 30, 60, 90, 60, 90, 120, 150, 180, 210];
    const rows = times
      .toSorted((a, b) => a - b)
      .map((minute) => ({ at: MONDAY + minute * 60_000, value: 5 }));
    const [series] = seriesOf('autumn', rows, HOUR_MS / 2, { labels: [], isLabelled: false });
    expect(series?.points.map(({ value }) => value)).toEqual([10, 10, 10, 10]);
  });
});

describe('injection', () => {
  test.each(SCENARIOS.hour)('$name multiplies $windows windows by $factor', (scenario) => {
    const series = hourly(30 * 168);
    const { series: changed, spans } = inject(series, scenario, drawsFor(1, 'injection'));
    expect(spans.length).toBeGreaterThan(4);
    const total = (each: Series) =>
      spans.reduce(
        (sum, { from, to }) =>
          each.points.slice(from, to).reduce((inside, { value }) => inside + (value ?? 0), sum),
        0,
      );
    expect(total(changed) / total(series)).toBeCloseTo(scenario.factor, 0);
    const touched = new Set(spans.flatMap(({ from, to }) => series.points.slice(from, to)));
    const rest = (each: Series) => each.points.filter((_, i) => !touched.has(series.points[i] as never));
    expect(rest(changed)).toEqual(rest(series));
  });
});

describe('scoring', () => {
  test('alarms within a day are one page', () => {
    expect(pagesIn([0, HOUR_MS, 23 * HOUR_MS, 24 * HOUR_MS, 30 * HOUR_MS, 49 * HOUR_MS])).toBe(3);
    expect(pagesIn([])).toBe(0);
  });

  test('the threshold is the lowest within the budget of pages', () => {
    const scores = Array.from({ length: 40 }, (_, i) => ({ at: i * DAY_MS, score: i }));
    const runs = [{ scores, weeks: 10 }];
    const threshold = thresholdFor(runs, 0.5);
    expect(falsePagesAWeek(runs, threshold)).toBe(0.5);
    expect(falsePagesAWeek(runs, threshold * 0.98)).toBeGreaterThan(0.5);
    const endless = scores.map(({ at }) => ({ at, score: Number.POSITIVE_INFINITY }));
    expect(thresholdFor([{ scores: endless, weeks: 10 }], 0.5)).toBeNaN();
  });
});

describe('watching', () => {
  test.each(RIVALS)('$name has the same scores with and without the lifecycle', (contestant) => {
    const { series, spans } = inject(hourly(8 * 168), { name: '', factor: 4, windows: 5 }, drawsFor(1));
    expect(spans.length).toBeGreaterThan(0);
    expect(highestScores(contestant, series, spans)).toEqual(
      highestScores({ ...contestant, usesAlertState: true }, series, spans),
    );
  });

  test.each(CONTESTANTS)(
    '$name gives the same scores for the past, regardless of later values',
    (contestant) => {
      const cuts = [0.3, 0.6, 0.9];
      for (const [i, each] of GENERATED.entries()) {
        if (each.grain === 'day') continue;
        const real = { ...each, points: each.points.slice(0, 6 * 168) };
        const cut = Math.floor((cuts[i % cuts.length] ?? 0.5) * real.points.length);
        const draw = drawsFor(i, 'noise');
        const points = real.points.map((point, at) => (at < cut ? point : { ...point, value: draw() * 1e5 }));
        const [known, replaced] = [watched(contestant, real), watched(contestant, { ...real, points })];
        const cutAt = real.points[cut]?.at ?? 0;
        expect(replaced.scores.slice(0, cut)).toEqual(known.scores.slice(0, cut));
        expect(replaced.alarms.filter((at) => at < cutAt)).toEqual(known.alarms.filter((at) => at < cutAt));
      }
    },
  );
});
