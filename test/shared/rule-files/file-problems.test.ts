import { expect, test } from 'vitest';
import { printedProblemsOf, ruleFile } from './rule-folder.ts';

test('formatProblems wraps at 80 columns and marks the position', () => {
  const long = `{ change: { below: -30% } } # ${'and so on '.repeat(12)}`;
  const text = printedProblemsOf({
    'x.yaml': ruleFile({ fire: long, window: 'dya', group_by: 'event_name' }),
  });
  expect(text.split('\n\n')[0]).toBe(
    [
      'rules/x.yaml:9:13 unknown window "dya"; did you mean "day"? Accepted: hour, day,',
      '  week, month',
      '  9 |     window: dya',
      '                  ^',
    ].join('\n'),
  );
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});
