import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEventFile } from '../../../../local/data/import/event-file.ts';
import { sampleOf } from '../../../../local/data/import/sample.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sample-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function sampled(name: string, text: string) {
  const file = join(dir, name);
  await writeFile(file, text);
  return await sampleOf(await openEventFile(file, name.endsWith('.csv') ? 'csv' : 'ndjson'));
}

it('sampleOf returns values by column, nested values by path', async () => {
  const { columns, first } = await sampled(
    'e.ndjson',
    '{"a":1,"in":{"b":"","c":{"d":2,"e":{"f":3}}}}\nbroken\n{"a":null,"z":4}\n',
  );
  expect(first.map(({ line }) => line)).toEqual([1, 3]);
  expect(columns.map(({ name, values }) => [name, values.length])).toEqual([
    ['a', 1],
    ['in', 1],
    ['in.c', 1],
    ['in.c.d', 1],
    ['in.c.e', 1],
    ['z', 1],
  ]);
});

it('sampleOf includes empty columns of a CSV file', async () => {
  const { columns } = await sampled('e.csv', 'a,b\n1,\n');
  expect(columns).toEqual([
    { name: 'a', isNested: false, values: ['1'] },
    { name: 'b', isNested: false, values: [] },
  ]);
});

it.each([
  ['', 'e.ndjson has no events'],
  ['\n[{"a":1}]\n', 'Line 2 of DIR/e.ndjson: it is not a JSON object; write one JSON object per line'],
  ['{"a":1\n', 'Line 1 of DIR/e.ndjson: it is not valid JSON; write one JSON object per line'],
])('sampleOf refuses %j without a record, and says why', async (text, said) => {
  await expect(sampled('e.ndjson', text)).rejects.toThrow(said.replace('DIR', dir));
});
