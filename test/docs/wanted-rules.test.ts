import { expect, test } from 'vitest';
import { blocksIn, documentAt } from './documents.ts';
import { outputOf, rulesIn } from './rule-tests.ts';

const [rules, routes, ...tests] = blocksIn('yaml', [documentAt('docs/how-to/wanted-rules.md')]);

test('each rule has at most ten lines and a test', () => {
  const written = (rules?.text ?? '').split(/^ {2}- id: /m).slice(1);
  expect(written).toHaveLength(tests.length);
  for (const rule of written) expect(rule.trim().split('\n').length).toBeLessThanOrEqual(10);
});

test.each(tests)(
  'the test at $place passes',
  async (block) => {
    expect(await outputOf(block, rulesIn(rules, routes?.text))).toMatch(/\n1 passed, 0 failed\n$/);
  },
  120_000,
);
