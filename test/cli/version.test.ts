import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { deltawatch } from '../fixtures/deltawatch.ts';

const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync('package.json', 'utf8')));

test.each(['--version', '-V'])('deltawatch %s prints the version alone', async (option) => {
  expect(await deltawatch([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
