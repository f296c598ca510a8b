import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generatedCounts } from '../../bench/detection/generated-counts.ts';
import { drawPictures } from '../../bench/detection/pictures.ts';
import { panelsOf } from '../../bench/detection/small-multiples.ts';

test('a chart leaves gaps where values are unknown, and marks the incident', () => {
  const values = [5, 5, null, 5, 9, 5];
  const ranges = [undefined, ...Array.from({ length: 5 }, () => ({ low: 4, high: 6 }))];
  const around: [number, number] = [9, 9];
  const svg = panelsOf('Misses', [{ title: 'crashes', values, ranges, span: { from: 4, to: 5 }, around }]);
  expect(svg).toContain('1 crashes');
  expect(svg.match(/ d="(.*?)"/)?.[1]?.match(/M/g)).toHaveLength(2);
  expect(svg.match(/class="span"/g)).toHaveLength(1);
  expect(svg).not.toContain('NaN');
});

test('the misses and the false alarms are two pictures, with at most two charts of a series', () => {
  const folder = mkdtempSync(join(tmpdir(), 'deltawatch-pictures-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  drawPictures({ series: [], labelled: generatedCounts(), youngApps: { day: 0, hour: 0 } }, folder);
  for (const name of ['detection-misses.svg', 'detection-false-alarms.svg']) {
    const titles = [...readFileSync(join(folder, name), 'utf8').matchAll(/<text[^>]*>\d+ (.*?),/g)];
    const ofSeries = Map.groupBy(titles, ([, series]) => series);
    expect(titles.length).toBeLessThanOrEqual(3);
    expect(Math.max(0, ...[...ofSeries.values()].map((all) => all.length))).toBeLessThanOrEqual(2);
  }
});
