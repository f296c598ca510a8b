import * as z from 'zod';

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = z.core.JSONSchema.BaseSchema;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/**
 * What a Zod schema takes from a caller, or (`output`) what it lets through. Formats stand without the patterns that Zod
 * adds to them, and integers without the bounds of what JavaScript can count: they tell nobody anything.
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

/** What names an attribute or a metric: one of these, with a `property_name` if they are maps and without if not. */
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
