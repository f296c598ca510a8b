import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeIn, documentAt, tableIn } from './documents.ts';

const starts = tableIn(documentAt('CONTRIBUTING.md'), 'task').map(([task, first = '']) => [
  task,
  ...codeIn(first),
]);

test('CONTRIBUTING.md names a first file for ten tasks', () => {
  expect(starts).toHaveLength(10);
});

test.each(starts)('%s: %s declares %s', (_, file = '', name = '') => {
  expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`(function|const) ${name}\\b|\\b${name}: `));
});
