import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaFiles } from '../../../../shared/adapters/rule-files/json-schemas.ts';

test.each([...schemaFiles()])('rules/schema/%s is up to date (vitest -u writes it)', async (name, text) => {
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../../../../rules/schema', name));
});

test('editors complete defaults and rules alike, and metrics and attributes by name', () => {
  const schema = JSON.parse(schemaFiles().get('rules.schema.json') ?? '{}');
  const rule = { $ref: '#/definitions/rule' };
  expect(schema.properties.defaults.allOf).toEqual([rule]);
  expect(schema.properties.rules.items).toEqual({ allOf: [rule], required: ['id'] });
  expect(schema.definitions.rule.properties.metric.enum).toContain('sessions');
  expect(schema.definitions.rule.properties.group_by.enum).toContain('device_country');
  expect(schema.definitions.rule.required).toBeUndefined();
  // `null` undoes a default, where a key need not be there.
  expect(schema.definitions.rule.properties.fire.type).toEqual(['object', 'null']);
  expect(schema.definitions.rule.properties.compare.type).toEqual(['object', 'null']);
  expect(schema.definitions.rule.properties.title.type).toBe('string');
});

test('editors complete the keys of a test, and what can be told in it', () => {
  const schema = JSON.parse(schemaFiles().get('tests.schema.json') ?? '{}');
  const { properties } = schema.definitions.test;
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(['name', 'starts', 'series', 'quiet']));
  expect(properties.series.items.properties.metric.enum).toContain('sessions');
  expect(Object.keys(properties.alerts.items.properties)).toEqual(
    expect.arrayContaining(['fired', 'stopped']),
  );
  expect(schema.properties.tests.items.required).toEqual(['name']);
});
