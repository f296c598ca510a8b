import { describe, expect, test } from 'vitest';
import { sparkline } from '../../../functions/respond/page/spark.ts';

const pointsOf = (values: (number | null)[], marked: number[] = []) =>
  values.map((value, i) => ({
    ...{ endAt: i, value },
    verdict: marked.includes(i) ? ('breached' as const) : ('clear' as const),
  }));
const drawn = (values: (number | null)[], marked: number[] = []) =>
  String(sparkline(pointsOf(values, marked), 'the last windows'));
const lineOf = (values: (number | null)[]) => /d="([^"]*)"/.exec(drawn(values))?.[1];

describe('a sparkline', () => {
  test('goes from the left to the right edge, with the largest value at the top', () => {
    expect(lineOf([0, 50, 100])).toBe('M3 21L48 12L93 3');
  });

  test('has a gap where a value is missing, and shows a value between two gaps', () => {
    expect(lineOf([100, 0, null, 100, null])).toBe('M3 3L26 21M71 3h0');
  });

  test.each([
    ['equal values', [7, 7], 'M3 12L93 12'],
    ['zeros', [0, 0], 'M3 12L93 12'],
    ['a change of 2% is small', [1000, 1020], 'M3 12.9L93 11.1'],
    ['negative values', [-100, 0], 'M3 21L93 3'],
  ])('is drawn to scale: %s', (_, values, line) => expect(lineOf(values)).toBe(line));

  test('marks windows with a dot, except those without a value', () => {
    expect(drawn([0, 100, null], [1, 2]).match(/<circle[^>]*>/g)).toEqual([
      '<circle cx="48" cy="3" r="2.5"/>',
    ]);
  });

  test('has an escaped text alternative', () => {
    const label = '"><script>alert(1)</script>';
    expect(String(sparkline(pointsOf([1, 2]), label))).toMatch(
      /^<svg [^>]*role="img" aria-label="&quot;&gt;&lt;script/,
    );
  });

  test.each([[[]], [[5]], [[5, null]]])('is empty for fewer than two values: %j', (values) => {
    expect(drawn(values)).toBe('');
  });
});
