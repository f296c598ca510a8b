import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../shared/rules/rule.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { backtest } from '../../../workbench/backtest/backtest.ts';
import { figuresOfFile, spanOfFile } from '../../../workbench/backtest/file-figures.ts';
import { createFakeMetricSource } from '../../fakes/fake-metric-source.ts';
import { dayAt, MONDAY, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const daily = (figures: (number | string)[]) =>
  [
    'timestamp,value',
    ...figures.map((value, i) => `${new Date(dayAt(i).startAt).toISOString()},${value}`),
  ].join('\n');

async function replayed(text: string, ...rules: Rule[]) {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'series.csv');
  await writeFile(file, text);
  const { span, sourceFor } = await figuresOfFile(file, rules);
  const clock = new ManualClock(MONDAY + 400 * DAY_MS);
  return backtest({ ruleSet: ruleSetOf(...rules), span, sourceFor, clock });
}

describe('a series of a file', () => {
  const rule = ruleNamed('signups');
  const STEADY = Array.from({ length: 20 }, (_, i) => 10_000 + (i % 3) * 100);
  const FALL = [...STEADY, 10_000, 4000, 4100, 10_000, 10_100, 10_000];

  test('fires and recovers an alert', async () => {
    const report = await replayed(daily(FALL), rule);
    const [{ fires = [], windows } = {}] = report.rules;
    expect(fires).toMatchObject([
      { window: dayAt(21), hasEnded: true, current: 4000, baseline: 10_000, change: -0.6 },
    ]);
    // The first day may be partial, so the second has no baseline. The last day may not be complete.
    expect(windows).toMatchObject({ evaluated: 24, breached: 2, inconclusive: 1 });
    expect(report.channels).toEqual([
      { route: 'default', channel: 'team', messages: 2, messagesPerMonth: expect.closeTo(2.6) },
    ]);
  });

  test('without changes does not fire at its edges', async () => {
    const both = ruleNamed('signups', { fire: { change: { above: '30%', below: '-30%' } } });
    const report = await replayed(daily(STEADY), both);
    expect(report.alerts).toBe(0);
  });

  test('is averaged if the rule watches a mean', async () => {
    const mean = ruleNamed('length', { metric: 'session_seconds', filters: [], confidence: 0.9 });
    const hours = FALL.flatMap((value, i) =>
      Array.from({ length: 24 }, (_, hour) => hour).map(
        (hour) => `${new Date(dayAt(i).startAt + hour * 3_600_000).toISOString()},${value}`,
      ),
    );
    const report = await replayed(`timestamp,value\n${hours.join('\n')}`, mean);
    expect(report.rules[0]?.fires.map(({ current }) => current)).toEqual([4000]);
  });
});

describe('spanOfFile cuts a file', () => {
  const figures = {
    ...{ sourceFor: () => createFakeMetricSource([]), describe: 'series.csv' },
    span: { startAt: dayAt(2).startAt, endAt: dayAt(42).startAt },
  };
  const [from, to] = [dayAt(10).startAt, dayAt(20).startAt];

  test.each([
    ['to days before its end', { days: 30 }, 12, 42],
    ['to all of its days', { days: 90 }, 2, 42],
    ['to days before a time', { days: 5, to }, 15, 20],
    ['from a time', { days: 5, from }, 10, 42],
  ])('%s', (_, wanted, first, end) => {
    expect(spanOfFile(figures, wanted)).toEqual({ startAt: dayAt(first).startAt, endAt: dayAt(end).startAt });
  });

  test.each([
    ['fails for days that it does not have', figures, { days: 30, from: dayAt(50).startAt }],
    ['fails for a file of two rows', { ...figures, span: { startAt: to, endAt: from } }, { days: 30 }],
  ])('%s', (_, known, wanted) => {
    expect(() => spanOfFile(known, wanted)).toThrow('series.csv has no window to evaluate in these days');
  });
});

describe('a file is refused', () => {
  const rule = ruleNamed('signups');
  test.each<[string, string, Rule[], string]>([
    [
      'for a rule with segments',
      daily([1, 2]),
      [ruleNamed('a', { group_by: 'device_country' })],
      'a watches several series',
    ],
    [
      'for a ratio',
      daily([1, 2]),
      [ruleNamed('a', { ratio: { of: 'x', to: 'y' }, filters: [], metric: undefined })],
      'a watches several series',
    ],
    [
      'for several rules',
      daily([1, 2]),
      [ruleNamed('a', { group_by: 'device_country' }), rule],
      '--readings has the history of one rule: name it with --rule',
    ],
    [
      'for a mean with one row per window',
      daily([1, 2, 3, 4]),
      [ruleNamed('length', { metric: 'session_seconds', filters: [] })],
      'has one row per day, and length watches a mean',
    ],
    ['without rows', 'timestamp,value\n', [rule], 'holds no series'],
    ['for a count with a missing value', daily([1, '', 3]), [rule], ':3: the value is missing'],
  ])('%s', async (_, text, rules, sentence) => {
    await expect(replayed(text, ...rules)).rejects.toThrow(sentence);
  });

  test('if the file does not exist', async () => {
    await expect(figuresOfFile('nowhere.csv', [rule])).rejects.toThrow('nowhere.csv: there is no such file');
  });
});
