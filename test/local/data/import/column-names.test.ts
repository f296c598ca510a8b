import { describe, expect, it } from 'vitest';
import { rankOf, usualNamesOf } from '../../../../local/data/import/column-names.ts';
import { attributeOf, FIELDS, parseMapping } from '../../../../local/data/import/fields.ts';
import { ATTRIBUTES, isAttributeName } from '../../../../shared/contract/attributes.ts';

/** The fields that a column with this name can fill, best match first. */
const fieldsOf = (column: string) =>
  FIELDS.flatMap((field) => {
    const rank = rankOf(field, column);
    return rank === undefined ? [] : [{ field, rank }];
  })
    .sort((a, b) => a.rank - b.rank)
    .map(({ field }) => field);

describe('rankOf', () => {
  it.each([
    ['timestamp', 'recorded_at'],
    ['time', 'recorded_at'],
    ['ts', 'recorded_at'],
    ['event', 'event_name'],
    ['name', 'event_name'],
    ['type', 'event_name'],
    ['user', 'user_id'],
    ['uid', 'user_id'],
    ['device', 'device_model'],
    ['platform', 'platform'],
    ['os', 'os_name'],
    ['version', 'app_version'],
    ['country', 'country'],
    ['User ID', 'user_id'],
    ['appVersion', 'app_version'],
    ['$os', 'os_name'],
    ['device_country', 'country'],
    ['svcuserid', 'user_id'],
    ['user.id', 'user_id'],
    ['context.os.name', 'os_name'],
    ['context.os.version', 'os_version'],
    ['geo.country', 'country'],
    ['properties.distinct_id', 'user_id'],
    ['properties.$browser', 'browser_name'],
    ['properties.mp_country_code', 'country'],
  ])('maps %s to %s', (column, field) => {
    expect(fieldsOf(column)[0]).toBe(field);
  });

  // These names often describe a product's own items, which rules filter as properties.
  it.each([
    'plan',
    'properties.name',
    'properties.country',
    'app.name',
    'device.name',
    'locale',
    'countryName.x',
  ])('maps %s to no field', (column) => {
    expect(fieldsOf(column)).toEqual([]);
  });

  it('accepts each name that usualNamesOf lists', () => {
    for (const field of FIELDS)
      for (const name of usualNamesOf(field)) expect(fieldsOf(name), `${name} of ${field}`).toContain(field);
  });
});

describe('attribute names', () => {
  it.each(Object.keys(ATTRIBUTES))('--map %s sets a field, or is rejected as computed', (name) => {
    const given = FIELDS.find((field) => attributeOf(field) === name || field === name);
    if (given) expect([...parseMapping([`${name}=column`], []).columns.keys()]).toEqual([given]);
    else expect(() => parseMapping([`${name}=column`], [])).toThrow('which is computed from the events');
  });

  it('belong to one field each', () => {
    const attributes = FIELDS.map(attributeOf).filter((name) => name !== undefined);
    expect(new Set(attributes).size).toBe(attributes.length);
    expect(attributes.every(isAttributeName)).toBe(true);
  });
});
