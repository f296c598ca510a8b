import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldPicker } from '../../../../local/data/import/field-picker.ts';
import { parseMapping } from '../../../../local/data/import/fields.ts';

const pickBy = (maps: string[], sets: string[] = [], properties: string[] = []) =>
  fieldPicker(parseMapping(maps, sets, properties), (value) => value);

describe('fieldPicker', () => {
  it.each([
    {
      name: 'a field by its name in rules',
      values: { device_country: 'DE', svcuserid: 'u' },
      fields: { country: 'DE', user_id: 'u' },
    },
    {
      name: 'a path, and keeps the rest of the object',
      maps: ['os_name=context.os.name'],
      values: { context: { os: { name: 'iOS', version: '17' }, ip: '::1' } },
      fields: { os_name: 'iOS' },
      rest: { context: { os: { version: '17' }, ip: '::1' } },
    },
    {
      name: 'a path to the only value of an object',
      maps: ['country=geo.country'],
      values: { geo: { country: 'DE' } },
      fields: { country: 'DE' },
    },
    {
      name: 'a column whose name looks like a path',
      maps: ['os_name=properties.$os'],
      values: { 'properties.$os': 'iOS', properties: { $os: 'Android' } },
      fields: { os_name: 'iOS', properties: { $os: 'Android' } },
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
      name: 'the second spelling if the first is empty',
      values: { country: '', device_country: 'DE' },
      fields: { country: 'DE' },
    },
    {
      name: 'no column declared a property',
      properties: ['country'],
      values: { country: 'for sale' },
      rest: { country: 'for sale' },
    },
    {
      name: 'a fixed value, and keeps the column of its name',
      sets: ['country=DE'],
      values: { country: 'FR' },
      fields: { country: 'DE' },
      rest: { country: 'FR' },
    },
  ])('takes $name', ({ maps = [], sets = [], properties = [], values, fields = {}, rest = {} }) => {
    expect(pickBy(maps, sets, properties)(values)).toEqual({ fields, rest });
  });

  it('loses no value and changes no record, for any mapping', () => {
    const column = fc.constantFrom('country', 'device_country', 'user', 'os', 'a');
    const inner = fc.record({ os: fc.nat(), a: fc.nat() }, { requiredKeys: [] });
    const record = fc.dictionary(column, fc.oneof(fc.nat(), inner));
    const path = fc.constantFrom('country', 'user', 'a', 'a.os', 'os.a', 'user.a');
    const leaves = (value: unknown): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
    fc.assert(
      fc.property(record, path, path, (values, first, second) => {
        const before = structuredClone(values);
        const { fields, rest } = pickBy([`user_id=${first}`, `os_name=${second}`])(values);
        expect(values).toEqual(before);
        expect(new Set([...leaves(fields), ...leaves(rest)])).toEqual(new Set(leaves(values)));
      }),
    );
  });
});
