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

/** An object that names one of these attributes or metrics. Maps need a `property_name`, others must not have one. */
export function targetOf(names: readonly string[], areMaps: boolean, operators?: readonly string[]): Schema {
  return {
    type: 'object',
    properties: {
      attribute: { type: 'string', enum: [...names] },
      ...(operators && { operator: { type: 'string', enum: [...operators] } }),
      property_name: areMaps ? { type: 'string' } : false,
    },
    required: areMaps ? ['attribute', 'property_name'] : ['attribute'],
  };
}

export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

/** `event` as the first word of a name, `Event`. */
export const pascal = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
