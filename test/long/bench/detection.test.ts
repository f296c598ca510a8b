import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Contestant } from '../../../bench/detection/contestant.ts';
import { CONTESTANTS } from '../../../bench/detection/contestants.ts';
import { generatedSeries } from '../../../bench/detection/generated.ts';
import { binomial, inject, isLabelled, SCENARIOS } from '../../../bench/detection/injection.ts';
import { measureGrain } from '../../../bench/detection/measure.ts';
import { RIVALS } from '../../../bench/detection/rivals.ts';
import {
  falsePagesAWeek,
  hitsOf,
  pagesIn,
  pooledF1,
  recallOf,
  thresholdFor,
} from '../../../bench/detection/scoring.ts';
import { type Point, readSeries, type Series, seriesOf } from '../../../bench/detection/series.ts';
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

/** Gives each value as its score. */
const ECHO = scoring('echo', (value) => value);

function scoring(name: string, score: (value: number) => number): Contestant {
  const detector = { score: ({ value }: Point) => score(value ?? 0), learn: () => {} };
  return { name, usesAlertState: false, watch: () => detector };
}

function withValues(values: (number | null)[]): Series {
  const points = values.map((value, i) => ({ at: MONDAY + i * HOUR_MS, slot: i % 168, value }));
  return { name: 'given', grain: 'hour', kind: 'count', points, labels: [], isLabelled: false };
}

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

  test('of half a year are also summed to days', () => {
    const rows = Array.from({ length: 27 * 168 }, (_, i) => ({ at: MONDAY + i * HOUR_MS, value: 1 }));
    const both = seriesOf('long', rows, HOUR_MS, { labels: [], isLabelled: false });
    expect(both.map(({ grain }) => grain)).toEqual(['hour', 'day']);
    expect(both[1]?.points.every(({ value }) => value === 24)).toBe(true);
  });

  test('count a repeated hour once when summed', () => {
    const times = [0, 30, 60, 90, 60, 90, 120, 150, 180, 210];
    const rows = times
      .toSorted((a, b) => a - b)
      .map((minute) => ({ at: MONDAY + minute * 60_000, value: 5 }));
    const [series] = seriesOf('autumn', rows, HOUR_MS / 2, { labels: [], isLabelled: false });
    expect(series?.points.map(({ value }) => value)).toEqual([10, 10, 10, 10]);
  });

  test('are generated reproducibly', () => {
    expect(generatedSeries()).toEqual(GENERATED);
    expect(GENERATED.some((each) => each.isLabelled)).toBe(true);
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

  test('avoids labelled spans', () => {
    const labels = [{ startAt: MONDAY + 25 * DAY_MS, endAt: MONDAY + 60 * DAY_MS }];
    const series = hourly(12 * 168, labels);
    for (let seed = 1; seed < 20; seed++)
      for (const { from } of inject(series, { name: '', factor: 0, windows: 3 }, drawsFor(seed)).spans)
        expect(isLabelled(series, series.points[from]?.at ?? 0)).toBe(false);
  });

  test.each([20, 5000])('thins %i events with a binomial distribution', (trials) => {
    const draw = drawsFor(1, 'binomial');
    const drawn = Array.from({ length: 2000 }, () => binomial(draw, trials, 0.3));
    const mean = drawn.reduce((sum, each) => sum + each, 0) / drawn.length;
    const variance = drawn.reduce((sum, each) => sum + (each - mean) ** 2, 0) / drawn.length;
    expect(mean / (trials * 0.3)).toBeCloseTo(1, 1);
    expect(variance / (trials * 0.21)).toBeGreaterThan(0.9);
    expect(variance / (trials * 0.21)).toBeLessThan(1.1);
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

  test('an alarm inside hits a label; pages elsewhere are false', () => {
    const labels = [
      { startAt: 10 * HOUR_MS, endAt: 20 * HOUR_MS },
      { startAt: 100 * HOUR_MS, endAt: 110 * HOUR_MS },
    ];
    const hits = hitsOf({ labels }, [2 * HOUR_MS, 9.5 * HOUR_MS, 15 * HOUR_MS, 60 * HOUR_MS], HOUR_MS);
    expect(hits).toEqual({ hit: 1, missed: 1, falsePages: 2 });
    expect(pooledF1([hits, { hit: 2, missed: 0, falsePages: 0 }])).toBeCloseTo(6 / 9, 9);
    expect(pooledF1([])).toBe(0);
    expect(recallOf([hits, { hit: 2, missed: 0, falsePages: 0 }])).toBeCloseTo(3 / 4, 9);
  });
});

describe('watching', () => {
  test('an alert is closed by three normal windows or after a day, and can fire again', () => {
    const open: boolean[] = [];
    const spy: Contestant = {
      name: 'spy',
      usesAlertState: true,
      watch: () => ({
        score: ({ value }) => value ?? 0,
        learn: (_, isOpen) => void open.push(isOpen),
      }),
    };
    watched(spy, withValues([0, 2, 0, 0, 0, 0, null, 2, 0, 2, 0, 0]));
    expect(open.map(Number)).toEqual([0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1]);
    open.length = 0;
    const { alarms } = watched(spy, withValues(Array(30).fill(2)));
    expect(open.indexOf(false, 1)).toBe(24);
    expect(alarms.length).toBe(30);
  });

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

test('a perfect detector finds all injected changes without false pages', () => {
  const series = withValues(Array(27 * 168).fill(10));
  const knowing = scoring('knowing', (value) => Math.abs(value - 10));
  const { recall, falsePages } = measureGrain(knowing, [series], 'hour');
  expect(falsePages).toBe(0);
  expect(recall[0]?.value).toBeGreaterThan(0.95);
  expect(measureGrain(ECHO, [series], 'hour').falsePages).toBeGreaterThan(6.9);
});
