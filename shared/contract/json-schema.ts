import * as z from 'zod';

/** A JSON Schema, as used in OpenAPI 3.1. */
export type Schema = z.core.JSONSchema.BaseSchema;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/**
 * What a Zod schema accepts or, with `output`, what it returns. Zod adds a pattern to each format and JavaScript's safe
 * range to each integer; both are left out because they tell a reader nothing.
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return rest;
}

/** `event` as the first word of a name, `Event`. */
export const pascal = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
