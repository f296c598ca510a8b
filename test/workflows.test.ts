import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FILES = ['.github/workflows', 'templates/github-actions']
  .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  .concat('action.yml');

const used = FILES.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^\s*-? *uses: *(.*)$/gm)].map(([, uses = '']) => ({ file, uses })),
).filter(({ uses }) => uses !== './.github/actions/deltawatch');

test('both workflows and the action use actions', () => {
  expect(new Set(used.map(({ file }) => file))).toEqual(new Set(FILES));
  expect(FILES).toHaveLength(3);
});

// A tag can be moved to other code; a commit cannot.
test.each(used)('$file pins $uses to a commit and names the version', ({ uses }) => {
  expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
