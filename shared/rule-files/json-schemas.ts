import * as z from 'zod';
import { ATTRIBUTES } from '../contract/attributes.ts';
import { attributeSchema, filterSchema } from '../contract/filters.ts';
import { routesSchema } from '../notifications/routes.ts';
import { ruleTestFileSchema, ruleTestSchema } from '../rule-tests/rule-test-file.ts';
import { ruleFileSchema, ruleSetEntrySchema } from '../rules/rule.ts';
import { RULE_EXAMPLES } from '../rules/rule-examples.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON Schemas for editors, by their file names in the `schema` folder of a rules folder. */
export function schemaFiles(): Map<string, string> {
  return new Map([
    ['rules.schema.json', textOf(ruleFileJsonSchema())],
    ['routes.schema.json', textOf(jsonSchemaOf(routesSchema))],
    ['tests.schema.json', textOf(testFileJsonSchema())],
  ]);
}

/** Any key of a rule may come from `defaults`, so only the id is required. */
function ruleFileJsonSchema(): JsonSchema {
  const { required = [], ...rule } = jsonSchemaOf(ruleSetEntrySchema);
  for (const [key, examples] of Object.entries(RULE_EXAMPLES))
    Object.assign(rule.properties?.[key] ?? {}, { examples });
  for (const [key, value] of Object.entries(rule.properties ?? {}))
    if (typeof value !== 'boolean' && value.default === undefined && !required.includes(key))
      Object.assign(value, orNothing(value, key));
  return withDefaults(jsonSchemaOf(ruleFileSchema), 'rule', rule, 'id');
}

/** Any key of a test may come from `defaults`, so only the name is required. */
function testFileJsonSchema(): JsonSchema {
  const { required: _, ...test } = jsonSchemaOf(ruleTestSchema);
  return withDefaults(jsonSchemaOf(ruleTestFileSchema), 'test', test, 'name');
}

/** The schema of a file of entries and their defaults. Filters refer to one definition, as an entry has them in several places. */
function withDefaults(file: JsonSchema, name: string, schema: JsonSchema, required: string): JsonSchema {
  const { $schema: _, ...entry } = schema;
  const { $schema: __, ...filter } = jsonSchemaOf(filterSchema);
  const any = { $ref: `#/definitions/${name}` };
  const entries = { type: 'array' as const, minItems: 1, items: { allOf: [any], required: [required] } };
  const text = JSON.stringify({ [name]: entry }).replaceAll(
    JSON.stringify(filter),
    JSON.stringify({ $ref: '#/definitions/filter' }),
  );
  return {
    ...file,
    properties: {
      ...file.properties,
      defaults: { allOf: [any], description: `Defaults for all ${name}s of this file.` },
      [`${name}s`]: entries,
    },
    definitions: { ...(JSON.parse(text) as Record<string, JsonSchema>), filter },
  };
}

/** Also allows `null`, which unsets a default. */
function orNothing({ anyOf, enum: choices, type }: JsonSchema, key: string): JsonSchema {
  if (anyOf) return { anyOf: [...anyOf, { enum: key === 'anomaly' ? [false, null] : [null] }] };
  return {
    ...(type !== undefined && { type: [type, 'null' as const].flat() }),
    ...(choices && { enum: [...choices, null] }),
  };
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-07',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === attributeSchema) jsonSchema.enum = Object.keys(ATTRIBUTES);
    },
  });
}

function textOf(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
