import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inDuckDb } from '../../../../local/data/duckdb.ts';
import { columnsOf, openEventFile } from '../../../../local/data/import/event-file.ts';
import { parseMapping } from '../../../../local/data/import/fields.ts';
import { pick } from '../../../../local/data/import/pick.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pick-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function picked(text: string, maps: string[] = [], sets: string[] = [], properties: string[] = []) {
  const path = join(dir, 'events');
  await writeFile(path, text);
  const file = await openEventFile(path, text.startsWith('{') ? 'ndjson' : 'csv');
  return await inDuckDb(async (connection) => {
    const {
      sql,
      fields,
      text: textOf,
    } = pick(file, await columnsOf(connection, file), parseMapping(maps, sets, properties));
    const texts = fields.map((field) => textOf(field));
    const read = await connection.runAndReadAll(`FROM (${sql}) SELECT ${['rest', ...texts].join(', ')}`);
    const [rest, ...values] = read.getRowsJS()[0] ?? [];
    const entries = fields
      .map((field, i) => [field, values[i]] as const)
      .filter(([, value]) => value !== null);
    return { fields: Object.fromEntries(entries), rest: JSON.parse(String(rest)) };
  });
}

describe('pick', () => {
  it.each([
    {
      name: 'a field by its name in rules',
      values: { device_country: 'DE', svcuserid: 7, empty: '', none: null, 'a"/~': 1 },
      fields: { country: 'DE', user_id: '7' },
      rest: { 'a"/~': 1 },
    },
    {
      name: 'a path, and keeps the object',
      maps: ['os_name=context.os.name'],
      values: { context: { os: { name: 'iOS', version: '17' }, ip: '::1' } },
      fields: { os_name: 'iOS' },
      rest: { context: { os: { name: 'iOS', version: '17' }, ip: '::1' } },
    },
    {
      name: 'nothing at a path that the record does not have',
      maps: ['country=geo.country', 'city=geo.place.city'],
      values: { geo: 'Berlin' },
      rest: { geo: 'Berlin' },
    },
    {
      name: 'a path in the map of properties',
      maps: ['user_id=properties.distinct_id'],
      values: { properties: { distinct_id: 'u', a: 1 } },
      fields: { user_id: 'u', properties: '{"distinct_id":"u","a":1}' },
    },
    {
      name: 'a column whose name looks like a path',
      maps: ['os_name=properties.$os'],
      values: { 'properties.$os': 'iOS', properties: { $os: 'Android' } },
      fields: { os_name: 'iOS', properties: '{"$os":"Android"}' },
    },
    {
      name: 'one column as two fields',
      maps: ['platform=device_os_name'],
      values: { device_os_name: 'iOS' },
      fields: { platform: 'iOS', os_name: 'iOS' },
    },
    {
      name: 'the first of two spellings, and keeps the other',
      values: { country: 'Germany', device_country: 'DE' },
      fields: { country: 'Germany' },
      rest: { device_country: 'DE' },
    },
    {
      name: 'no column declared a property',
      properties: ['country'],
      values: { country: 'for sale' },
      rest: { country: 'for sale' },
    },
    {
      name: 'a fixed value, and keeps the column of its name',
      sets: ['country=D"E\''],
      values: { country: 'FR' },
      fields: { country: 'D"E\'' },
      rest: { country: 'FR' },
    },
  ])('takes $name', async ({ maps = [], sets = [], properties = [], values, fields = {}, rest = {} }) => {
    expect(await picked(JSON.stringify(values), maps, sets, properties)).toEqual({ fields, rest });
  });

  it('reads plain numbers of a CSV, and leaves all else as text', async () => {
    const numbers = ['12.5', '10.00', '0.50', '-3', '0', '9007199254740991'];
    const texts = ['007', '1e5', '1.', '.5', '+1', '1.2.3', 'NaN', '9007199254740993', 'say "hi"'];
    const names = [...numbers, ...texts].map((_, i) => `p${i}`);
    const cells = [...numbers, ...texts].map((text) => `"${text.replaceAll('"', '""')}"`);
    const { rest } = await picked(`user_id,none,${names}\nu,,${cells}\n`);
    expect(Object.values(rest)).toEqual([...numbers.map(Number), ...texts]);
  });

  it('loses no value, for any mapping', async () => {
    const column = fc.constantFrom('country', 'device_country', 'user', 'os', 'a');
    const inner = fc.record({ os: fc.nat(), a: fc.nat() }, { requiredKeys: [] });
    const record = fc.dictionary(column, fc.oneof(fc.nat(), inner), { minKeys: 1 });
    const path = fc.constantFrom('country', 'user', 'a', 'a.os', 'os.a', 'user.a');
    const leaves = (value: unknown): string[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [String(value)];
    await fc.assert(
      fc.asyncProperty(record, path, path, async (values, first, second) => {
        const { fields, rest } = await picked(JSON.stringify(values), [
          `user_id=${first}`,
          `os_name=${second}`,
        ]);
        const taken = Object.values(fields).map((text) => JSON.parse(String(text)));
        expect(new Set([...leaves(taken), ...leaves(rest)])).toEqual(new Set(leaves(values)));
      }),
      { numRuns: 40 },
    );
  });
});
