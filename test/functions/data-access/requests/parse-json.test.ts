import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../../functions/data-access/requests/parse-request.ts';

describe('a repeated field', () => {
  test.each([
    ['{"a":1,"a":1}'],
    ['{"a":1,"\\u0061":2}'],
    ['[{"b":[{"a":{},"a":[]}]}]'],
    ['{"a":{"b":1,"c":2},"a":3}'],
    ['{"__proto__":1,"__proto__":2}'],
    ['{"":1 , "" : 2}'],
  ])('is rejected in %s', (text) => {
    expect(parseJson(text)).toMatchObject({
      kind: 'fault',
      message: expect.stringContaining('repeats a field'),
    });
  });

  test.each([
    ['{"a":{"a":[{"a":1},{"a":1}]}}'],
    ['{"a":":\\":\\\\","\\\\\\"a":"\\"b\\":1"}'],
    ['{"__proto__":{"constructor":1}}'],
  ])('is not reported in %s', (text) => {
    expect(parseJson(text)).toEqual({ kind: 'json', value: JSON.parse(text) });
  });

  test('is not reported in any text written from a value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(parseJson(JSON.stringify(value, null, 1)).kind).toBe('json');
      }),
    );
  });

  test('is searched quickly in long texts', () => {
    const text = JSON.stringify(Array.from({ length: 30_000 }, () => '\\"'));
    expect(parseJson(text).kind).toBe('json');
    expect(parseJson(JSON.stringify('\\'.repeat(200_000))).kind).toBe('json');
    expect(parseJson(JSON.stringify('x'.repeat(1_000_000))).kind).toBe('json');
  });
});
