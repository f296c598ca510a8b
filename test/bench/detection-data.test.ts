import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readData, readLabelled } from '../../bench/detection/data.ts';
import { generatedCounts } from '../../bench/detection/generated-counts.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';

/** Monday, 3 March 2025. */
const MONDAY = Date.UTC(2025, 2, 3);

function folderOf(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'deltawatch-labelled-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

const HEADER = 'TimeStamp,Value,Label';
const CRASHES = `${HEADER}
2025-03-03 00:00:00,4,0
2025-03-03 01:00:00,40.0,1
2025-03-03 02:00:00,,1
2025-03-03 03:00:00,3,0
2025-03-03 05:00:00,50,1
`;
const RIDES = 'timestamp,value\n2025-03-03 00:00:00,4\n2025-03-03 01:00:00,5\n';

describe('labelled files', () => {
  test('are series by hour, and consecutive labelled hours are one stretch', () => {
    const [series] = readLabelled(folderOf({ 'crashes.csv': CRASHES }));
    expect(series).toMatchObject({ name: 'crashes', grain: 'hour', kind: 'count', isLabelled: true });
    expect(series?.points.map(({ at, value }) => [(at - MONDAY) / HOUR_MS, value])).toEqual([
      ...[
        [0, 4],
        [1, 40],
        [2, null],
        [3, 3],
        [4, null],
      ],
      [5, 50],
    ]);
    expect(series?.labels).toEqual([
      { startAt: MONDAY + HOUR_MS, endAt: MONDAY + 3 * HOUR_MS },
      { startAt: MONDAY + 5 * HOUR_MS, endAt: MONDAY + 6 * HOUR_MS },
    ]);
  });

  test('of shorter spans are summed to hours and keep their labels', () => {
    const rows = Array.from({ length: 18 }, (_, i) => {
      const at = new Date(MONDAY + i * 600_000).toISOString();
      return `${at},2,${i === 7 || i === 8 ? 1 : 0}`;
    });
    const [series] = readLabelled(folderOf({ 'requests.csv': [HEADER, ...rows].join('\r\n') }));
    expect(series?.points.map(({ value }) => value)).toEqual([12, 12, 12]);
    expect(series?.labels).toEqual([{ startAt: MONDAY + 4_200_000, endAt: MONDAY + 5_400_000 }]);
  });
});

describe('a data folder', () => {
  const names = (dir: string) => {
    const { series, labelled } = readData(dir);
    return [series, labelled].map((group) => group.map(({ name }) => name));
  };

  test('has the folders series and labelled', () => {
    const dir = folderOf({ 'series/rides_hourly.csv': RIDES, 'labelled/crashes.csv': CRASHES });
    expect(names(dir)).toEqual([['rides by hour'], ['crashes']]);
  });
});

test('generated counts are young, quiet at night, and rise where they are labelled', () => {
  const counts = generatedCounts();
  expect(generatedCounts()).toEqual(counts);
  for (const { points, labels } of counts) {
    expect(points.length / 168).toBeGreaterThanOrEqual(1);
    expect(points.length / 168).toBeLessThanOrEqual(8);
    expect(labels.length).toBeGreaterThan(0);
    const isIn = (at: number) => labels.some(({ startAt, endAt }) => at >= startAt && at < endAt);
    const meanOf = (kept: typeof points) =>
      kept.reduce((sum, { value }) => sum + (value ?? 0), 0) / kept.length;
    const normal = points.filter(({ at }) => !isIn(at));
    const isNight = (at: number) => (at % DAY_MS) / HOUR_MS < 5;
    expect(meanOf(normal.filter(({ at }) => isNight(at)))).toBeLessThan(meanOf(normal) / 4);
    const rise = meanOf(points.filter(({ at }) => isIn(at))) / meanOf(normal);
    expect(rise).toBeGreaterThan(4);
    expect(rise).toBeLessThan(100);
  }
});
