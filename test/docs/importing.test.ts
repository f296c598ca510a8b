import { expect, test } from 'vitest';
import { documentAt } from './documents.ts';
import { proposalOf } from './proposals.ts';

const { blocks } = documentAt('docs/how-to/importing.md');
const FILES = blocks.filter(({ language }) => language === 'csv' || language === 'json');

test.each(FILES)('the mapping of the file at $place is what data import prints', async (file) => {
  const shown = blocks.slice(blocks.indexOf(file)).find(({ language }) => language === 'text');
  const name = file.language === 'csv' ? 'events.csv' : 'events.ndjson';
  expect(await proposalOf(name, file.text)).toBe(shown?.text.trimEnd());
});

test('importing.md has more than three example files', () => {
  expect(FILES.length).toBeGreaterThan(3);
});
