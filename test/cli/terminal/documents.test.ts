import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { documentPath } from '../../../cli/terminal/documents.ts';

const ROOT = resolve('.');
const LINT = join('docs', 'reference', 'lint.md');

test.each([
  ['in the repository', ROOT, LINT],
  ['above it, such as above node_modules', dirname(ROOT), join(ROOT.slice(dirname(ROOT).length + 1), LINT)],
  ['elsewhere', join(ROOT, 'rules'), join(ROOT, LINT)],
])('a document has a path that exists, %s', (_, from, path) => {
  expect(documentPath('reference/lint.md', from)).toBe(path);
  expect(existsSync(resolve(from, path))).toBe(true);
});
