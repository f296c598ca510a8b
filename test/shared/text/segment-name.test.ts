import { expect, test } from 'vitest';
import { segmentName, segmentValues } from '../../../shared/text/segment-name.ts';

test.each<[string[], string]>([
  [['android', '5.2.0'], 'android, 5.2.0'],
  [['android', ''], 'android, (none)'],
  [['', '5.2.0'], '(none), 5.2.0'],
  [['', ''], ''],
  [['a, b', 'c'], '"a, b", c'],
  [['a', 'b, c'], 'a, "b, c"'],
  [['(none)', 'c'], '"(none)", c'],
  [['""', 'c'], '"", c'],
  [['say "hi", you', '"quoted"'], '"say \\"hi\\", you", "\\"quoted\\""'],
  [[' padded ', 'x'], '" padded ", x'],
  [['5"', 'x'], '5", x'],
])('%j is written %s, and read back', (values, name) => {
  expect(segmentName(values)).toBe(name);
  expect(segmentValues(name)).toEqual(values);
});
