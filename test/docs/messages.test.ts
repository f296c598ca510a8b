import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TRANSITION_NAMES } from '../../shared/alerts/transitions.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const messages = documentAt('docs/reference/messages.md');
const golden = globSync('test/golden/*.txt').map((path) => readFileSync(path, 'utf8'));

test('messages.md quotes messages as they are sent', () => {
  const quoted = blocksIn('text', [messages]).map(({ text }) => text);
  expect(quoted).toHaveLength(2);
  expect(golden).toEqual(expect.arrayContaining(quoted));
});

test('messages.md lists a headline as it is sent for every transition', () => {
  const rows = tableIn(messages, 'news');
  expect(rows.map(([news = '']) => codeIn(news).join())).toEqual(TRANSITION_NAMES);
  const headlines = golden.map((text) => (text.split('-----\n')[1] ?? '').split('\n')[0] ?? '');
  const signs = /^\S+ /;
  for (const [, , headline = ''] of rows)
    expect(headlines.map((each) => each.replace(signs, ''))).toContain(headline.slice(1, -1));
});

test('messages.md quotes only words of messages', () => {
  const said = golden.join('\n');
  const section = messages.text.split('## Figures and times\n')[1]?.split('\n## ')[0] ?? '';
  const quotes = [...section.replaceAll(/\s+/g, ' ').matchAll(/"([^"]+)"/g)].map(([, words = '']) => words);
  expect(quotes.length).toBeGreaterThan(4);
  for (const words of quotes) expect(said).toContain(words);
});
