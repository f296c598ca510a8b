import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaFiles } from '../../../shared/rule-files/json-schemas.ts';

test.each([...schemaFiles()])('rules/schema/%s is up to date (vitest -u writes it)', async (name, text) => {
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../../../rules/schema', name));
});

test('the schema of rules covers defaults, rules, metrics and attributes', () => {
  const schema = JSON.parse(schemaFiles().get('rules.schema.json') ?? '{}');
  const rule = { $ref: '#/definitions/rule' };
  expect(schema.properties.defaults.allOf).toEqual([rule]);
  expect(schema.properties.rules.items).toEqual({ allOf: [rule], required: ['id'] });
  expect(schema.definitions.rule.properties.metric.anyOf[0].enum).toContain('sessions');
  expect(schema.definitions.rule.properties.group_by.anyOf[0].anyOf[0].enum).toContain('device_country');
  expect(schema.definitions.rule.required).toBeUndefined();
  // `null` removes a default of an optional key.
  expect(schema.definitions.rule.properties.fire.type).toEqual(['object', 'null']);
  expect(schema.definitions.rule.properties.compare.type).toEqual(['object', 'null']);
  expect(schema.definitions.rule.properties.title.type).toBe('string');
});

test('the schema of tests covers series and expected alerts', () => {
  const schema = JSON.parse(schemaFiles().get('tests.schema.json') ?? '{}');
  const { properties } = schema.definitions.test;
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(['name', 'starts', 'series', 'quiet']));
  expect(properties.series.items.properties.metric.anyOf[0].enum).toContain('sessions');
  expect(Object.keys(properties.alerts.items.properties)).toEqual(
    expect.arrayContaining(['fired', 'stopped']),
  );
  expect(schema.properties.tests.items.required).toEqual(['name']);
});
