import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDERS = ['.github/workflows', 'templates/github-actions'];

const used = FOLDERS.flatMap((folder) =>
  readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^\s*-? *uses: *(.*)$/gm)].map(([, uses = '']) => ({
      file,
      uses,
    })),
  ),
);

test('both workflow folders use actions', () => {
  expect(new Set(used.map(({ file }) => file))).toEqual(new Set(['ci.yml', 'deltawatch-rules.yml']));
});

// A tag can be moved to other code; a commit cannot.
test.each(used)('$file pins $uses to a commit and names the version', ({ uses }) => {
  expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
