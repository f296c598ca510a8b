import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ruleTestSchema } from '../../shared/rule-tests/rule-test-file.ts';
import { parseSeries } from '../../shared/rule-tests/series-notation.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';
import { outputOf, rulesIn } from './rule-tests.ts';

const DOCUMENT = documentAt('docs/how-to/testing-rules.md');
const BLOCKS = blocksIn('yaml', [DOCUMENT]);
const TESTS = BLOCKS.filter(({ text }) => Object.hasOwn(parse(text), 'tests'));
const [OUTPUT] = blocksIn('text', [DOCUMENT]);
const FAILING = TESTS.filter(({ text }) => OUTPUT?.text.includes(parse(text).tests[0].name));

const RULES = rulesIn(BLOCKS.find(({ text }) => Object.hasOwn(parse(text), 'rules')));

test.each(TESTS.filter((block) => !FAILING.includes(block)))('the tests at $place pass', async (block) => {
  expect(await outputOf(block, RULES)).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
});

test('the failing test prints the documented output', async () => {
  expect(FAILING).toHaveLength(1);
  expect(await outputOf(FAILING[0] ?? { place: '', language: '', text: '' }, RULES)).toBe(OUTPUT?.text);
});

describe('the tables of testing-rules.md', () => {
  const keysIn = (heading: string, row: number) =>
    tableIn(DOCUMENT, heading).flatMap((cells) => codeIn(cells[row] ?? ''));

  test('list exactly the keys of a test', () => {
    const table = tableIn(DOCUMENT, 'key').map(([key = '']) => codeIn(key)[0]);
    expect(table.toSorted()).toEqual(Object.keys(ruleTestSchema.shape).toSorted());
  });

  test('state how many windows a text expands to', () => {
    const rows = tableIn(DOCUMENT, 'written');
    expect(keysIn('written', 0)).toHaveLength(rows.length);
    for (const [text = '', , windows] of rows) {
      const parsed = parseSeries(codeIn(text)[0] ?? '');
      expect(parsed).toMatchObject({ kind: 'values' });
      expect([text, parsed.kind === 'values' && String(parsed.values.length)]).toEqual([text, windows]);
    }
  });
});
