import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { measure, rivalsAhead, rowsOf } from '../../bench/detection/comparison.ts';
import type { Contestant } from '../../bench/detection/contestant.ts';
import { generatedCounts } from '../../bench/detection/generated-counts.ts';
import { measureCounts } from '../../bench/detection/measure-labels.ts';
import {
  comparisonsOf,
  printComparisons,
  printContestants,
  printCrossValidated,
  printDetails,
} from '../../bench/detection/report.ts';
import { RIVALS } from '../../bench/detection/rivals.ts';
import type { Series } from '../../bench/detection/series.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';

describe('labelled counts', () => {
  const echo: Contestant = {
    name: 'echo',
    usesAlertState: false,
    watch: () => ({ score: ({ value }) => value ?? 0, learn: () => {} }),
  };

  /** Four weeks of zeros, except for the given hours. */
  function counts(values: Record<number, number>, labels: [from: number, to: number][]): Series {
    const points = Array.from({ length: 4 * 168 }, (_, i) => ({
      ...{ at: i * HOUR_MS, slot: i % 168 },
      value: values[i] ?? 0,
    }));
    const windows = labels.map(([from, to]) => ({ startAt: from * HOUR_MS, endAt: to * HOUR_MS }));
    return {
      ...{ name: 'counts', grain: 'hour', kind: 'count', isLabelled: true },
      ...{ points, labels: windows },
    };
  }

  test('recall counts stretches at pooled thresholds, from the first hour on', () => {
    const series = [
      counts({ 0: 5, 5: 3, 100: 4, 101: 9, 200: 3, 300: 2, 400: 2 }, [
        [5, 6],
        [100, 102],
        [300, 301],
      ]),
      counts({ 50: 0.5 }, [[600, 601]]),
    ];
    const { recall, f1, recallAtDefault, falsePages } = measureCounts(echo, series);
    // Almost eight weeks: up to 7 pages, 1 page and none. Outside the labels are 5, 3, 2 and .5.
    expect(recall.map(({ value }) => value)).toEqual([3 / 4, 1 / 4, 1 / 4]);
    // The default (1) finds three, with three false pages.
    expect(recallAtDefault).toBe(3 / 4);
    expect(f1.value).toBeCloseTo(6 / (6 + 1 + 3), 9);
    expect(falsePages).toBeCloseTo(3 / 8, 1);
  });

  test('a series left out has the threshold of the others, and its own false pages', () => {
    const series = [
      counts({ 5: 3, 100: 4, 200: 9 }, [[5, 6]]),
      counts({ 5: 6, 100: 1 }, [[5, 6]]),
      counts({ 5: 6, 100: 5 }, [[5, 6]]),
    ];
    const { recall, crossValidated } = measureCounts(echo, series);
    // Together, the budget of .1 allows one page in twelve weeks, so the threshold is just above 5.
    expect(recall[2]?.value).toBe(2 / 3);
    // Of two series it allows none: above 5 for the first, and above 9 for the others.
    expect(crossValidated[2]).toEqual({ recall: 0, falsePages: expect.closeTo(1 / 12, 3) });
  });
});

test('the report fits into 80 columns, marks rows without data, and counts the rivals ahead', () => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(...text.split('\n')));
  onTestFinished(() => void vi.restoreAllMocks());
  const blind: Contestant = {
    name: 'blind',
    usesAlertState: false,
    watch: () => ({ score: () => 0, learn: () => {} }),
  };
  const data = { series: [], labelled: generatedCounts().slice(2, 4), youngApps: { day: 2, hour: 1 } };
  const rivals = RIVALS.map((rival) => measure(rival, data));
  const own = measure(blind, data);
  const ahead = rivalsAhead(
    { name: own.name, rows: rowsOf(own) },
    rivals.map((rival) => ({ name: rival.name, rows: rowsOf(rival) })),
  );
  printContestants([own, ...rivals]);
  printCrossValidated([own, ...rivals]);
  printComparisons(comparisonsOf(own, rivals), ahead);
  printDetails(own, own.young);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const [row, f1] = ['blind ', 'labelled, F1 '].map((start) => lines.find((line) => line.startsWith(start)));
  expect(row?.split(/ +/)).toEqual([
    'blind',
    ...Array(5).fill('-'),
    ...['0', '0', '0', '0', '-', '-', '0', '0'],
  ]);
  const better = rivals.filter((rival) => rowsOf(rival)['labelled.f1'].value > 0);
  expect(f1).toMatch(new RegExp(` ${better.length}$`));
  expect(lines).toContain('A rival is ahead in 5 of 5 rows.');
});
