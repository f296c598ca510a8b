import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSeries } from '../../../shared/rule-tests/series-notation.ts';

/** One word per window: "100 _ stale". */
function written(text: string): string {
  const parsed = parseSeries(text);
  if (parsed.kind === 'refused') return parsed.reason;
  return parsed.values.map((value) => ({ none: '_', stopped: 'stale' })[value] ?? value).join(' ');
}

describe('parseSeries reads', () => {
  test.each([
    ['one value', '1000', '1000'],
    ['values in order', '100 40 0 1.5', '100 40 0 1.5'],
    ['as in promtool: a repeated value', '1x4', '1 1 1 1 1'],
    ['as in promtool: rising', '100+10x5', '100 110 120 130 140 150'],
    ['as in promtool: falling', '100-5x3', '100 95 90 85'],
    ['as in promtool: missing, without an extra one', '1 _x3 stale', '1 _ _ _ stale'],
    ['without rounding errors', '0.1+0.1x2', '0.1 0.2 0.3'],
    ['repeated values', '1000*3 400', '1000 1000 1000 400'],
    ['a week, twice', '(5 5 5 5 5 2 1)*2', '5 5 5 5 5 2 1 5 5 5 5 5 2 1'],
    ['brackets in brackets', '((1 2)*2 3)*2', '1 2 1 2 3 1 2 1 2 3'],
    ['an app that sends nothing', 'stale*2 _*2', 'stale stale _ _'],
    ['with a space before the star', '(1 2) *2', '1 2 1 2'],
  ])('%s: %s', (_, text, values) => {
    expect(written(text)).toBe(values);
  });
});

describe('parseSeries refuses', () => {
  test.each([
    ['', 'there are no values'],
    ['()', 'there are no values'],
    ['100x', '"100x" is not a value; write 1000, 1000*56 (56 times), 100x5 (100 and five more)'],
    ['100+10', '"100+10" is not a value'],
    ['1e3', '"1e3" is not a value'],
    ['-5', '"-5" is not a value'],
    ['1,000', 'separate values with spaces, not commas: "1 000"; a number has no comma'],
    ['1000*28, 400', 'separate values with spaces, not commas: "1000*28 400"'],
    ['10-5x3', '"10-5x3" reaches -5; figures cannot be below 0'],
    ['*3', '"*3" must follow a value or a bracket'],
    ['5*0', '"*0" must follow a value or a bracket'],
    ['(1 2', 'a bracket is not closed'],
    ['1 2)', 'a closing bracket has no opening bracket'],
    ['5*20000', 'has more than 10,000 windows'],
    ['(1*5000)*5000', 'has more than 10,000 windows'],
    ['5*200000', 'has more than 10,000 windows'],
    ['1x99999', 'has more than 10,000 windows'],
  ])('%j: %s', (text, reason) => {
    expect(written(text)).toContain(reason);
  });
});

test('parseSeries keeps any repeated values in order', () => {
  const value = fc.oneof(fc.nat(10_000).map(String), fc.constantFrom('_', 'stale'));
  const run = fc.record({ value, times: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(fc.array(run, { minLength: 1, maxLength: 20 }), (runs) => {
      const text = runs.map((each) => `${each.value}*${each.times}`).join(' ');
      const values = runs.flatMap((each) => new Array<string>(each.times).fill(each.value));
      expect(written(text)).toBe(values.join(' '));
      expect(written(`(${text})*2`)).toBe([...values, ...values].join(' '));
    }),
  );
});
