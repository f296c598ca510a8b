import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROUTES } from '../fixtures/builders.ts';
import { deltawatch, temporaryFolder } from '../fixtures/deltawatch.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const DOCUMENT = documentAt('docs/how-to/evaluate.md');

/** The last block of the language. */
function blockOf(language: string): string {
  return blocksIn(language, [DOCUMENT]).at(-1)?.text ?? '';
}

test('the example prints the documented text, JSON line and keys', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'rules'));
  await writeFile(join(folder.path, 'rules/rules.yaml'), blockOf('yaml'));
  await writeFile(join(folder.path, 'rules/routes.yaml'), JSON.stringify(ROUTES));
  await writeFile(join(folder.path, 'orders.csv'), blockOf('csv'));
  const words = blockOf('sh').trim().split(' ').slice(2);

  const { stdout } = await deltawatch(words, folder.path);
  expect(stdout).toBe(blockOf('text'));

  const brief = await deltawatch([...words, '--json'], folder.path);
  const fired = brief.stdout.split('\n').find((line) => line.includes('fired')) ?? '';
  expect(`${fired}\n`).toBe(blockOf('json'));
  expect(Object.keys(JSON.parse(fired))).toEqual(keysOf('key'));
});

function keysOf(heading: string): string[] {
  return tableIn(DOCUMENT, heading).flatMap(([keys = '']) => codeIn(keys));
}
