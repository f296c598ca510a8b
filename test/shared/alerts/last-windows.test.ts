import { describe, expect, test } from 'vitest';
import { withLargest, withNewest, withReread } from '../../../shared/alerts/last-windows.ts';
import { alertOf, dayAt, evaluationOf, mean, ruleNamed, value } from '../../fixtures/builders.ts';

const daysUpTo = (last: number, first = 0) =>
  Array.from({ length: last - first + 1 }, (_, i) => evaluationOf(first + i)).reduce(withNewest, []);

describe('the last windows of an alert', () => {
  test('have the values and verdicts of the newest 24, oldest first', () => {
    const windows = daysUpTo(29);
    expect(windows).toHaveLength(24);
    expect(windows[0]).toEqual({ endAt: dayAt(6).endAt, value: 100, verdict: 'clear' });
    expect(windows.at(-1)?.endAt).toBe(dayAt(29).endAt);
  });

  test('round values to five digits and keep missing ones', () => {
    const both = [value(1_234_567.8), value(null)].map((current, i) => evaluationOf(i, { current }));
    expect(both.reduce(withNewest, []).map((each) => each.value)).toEqual([1_234_600, null]);
  });

  test('take over a window that was read again, and no other', () => {
    const reread = evaluationOf(1, { current: value(40), verdict: 'breached' });
    const changed = withReread(daysUpTo(2), reread);
    expect(changed.map((each) => [each.value, each.verdict])).toEqual([
      [100, 'clear'],
      [40, 'breached'],
      [100, 'clear'],
    ]);
    const windows = daysUpTo(2);
    for (const day of [1, 9]) expect(withReread(windows, evaluationOf(day))).toBe(windows);
  });
});

describe('the largest segment', () => {
  const rule = ruleNamed('orders', { group_by: 'device_country' });
  const segment = (name: string, current = value(1)) =>
    alertOf(rule, { segment: name, last: evaluationOf(0, { current }), lastWindows: daysUpTo(0) });

  test.each([
    ['the one with the largest value', [segment('DE', value(7)), segment('FR', value(70))], 'FR'],
    [
      'of a mean, the one with the most weight',
      [segment('DE', mean(2, 90)), segment('FR', mean(9, 5))],
      'DE',
    ],
    ['of equals, the first by name', [segment('FR'), segment('DE')], 'DE'],
    ['never one without a value', [segment('FR', value(null)), segment('DE', value(0))], 'DE'],
    ['none without any value', [segment('FR', value(null)), alertOf(rule)], undefined],
  ])('is %s', (_, series, expected) => {
    expect(withLargest(alertOf(rule), series).largestSegment).toBe(expected);
  });
});
