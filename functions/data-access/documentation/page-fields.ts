import type { Schema } from './json-schema.ts';
import type { Operation } from './openapi-model.ts';
import { type Cell, code, type Html, prose, table } from './page-parts.ts';

/** What an endpoint takes, as a table. */
export function takenBy({ summary, parameters, requestBody }: Operation): Html {
  const body = requestBody?.content['application/json'].schema;
  const rows = parameters
    ? parameters.map(({ name, description, required, schema, content }) => {
        const shape = schema ?? content?.['application/json'].schema ?? {};
        return fieldRow(name, { ...shape, description }, required);
      })
    : Object.entries(body?.properties ?? {}).map(([name, field]) =>
        fieldRow(name, plain(field), body?.required?.includes(name) ?? false),
      );
  const headings = [parameters ? 'Parameter' : 'Field', 'Type', 'Default', 'Meaning'];
  return table(`What is sent to: ${summary}`, headings, rows);
}

const plain = (schema: Schema | boolean): Schema => (typeof schema === 'boolean' ? {} : schema);

function fieldRow(name: string, schema: Schema, required: boolean): Cell[] {
  const byDefault = required ? 'required' : defaultOf(schema);
  return [code(name), typeOf(schema), byDefault, prose(schema.description ?? '')];
}

function defaultOf({ default: value }: Schema): Cell {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  const text = JSON.stringify(value);
  return text.length > MOST_LETTERS ? 'the usual ones' : code(text);
}

const MOST_LETTERS = 40;

/** What a field holds, in few words. */
function typeOf(schema: Schema): Html {
  const { items = {}, minimum, maximum } = schema;
  if (schema.enum) return prose(choices(schema.enum, ' or '));
  if (schema.type === 'array') {
    const { enum: values } = Array.isArray(items) ? {} : plain(items);
    return prose(values ? `list of ${choices(values, ', ')}` : 'list of objects');
  }
  const range = minimum !== undefined && maximum !== undefined ? ` ${minimum}–${maximum}` : '';
  return prose(`${namesOf(schema)}${range}`);
}

const choices = (values: readonly unknown[], between: string): string =>
  values.map((value) => `\`${value}\``).join(between);

function namesOf({ type, format, anyOf }: Schema): string {
  if (format === 'date-time') return 'timestamp';
  if (anyOf) return anyOf.map((each) => namesOf(plain(each))).join(' or ');
  return (Array.isArray(type) ? type : [type ?? 'any']).join(' or ');
}

/** The fields of a record, those within others by their path. */
export function fieldsOf(caption: string, schema: Schema): Html {
  return table(caption, ['Field', 'Type', 'Meaning'], fieldRows(schema, ''));
}

function fieldRows({ properties = {} }: Schema, prefix: string): Html[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const schema = plain(field);
    const path = `${prefix}${name}`;
    const isGroupOfFields = schema.properties !== undefined && schema.additionalProperties === false;
    if (!isGroupOfFields) return [[code(path), typeOf(schema), prose(schema.description ?? '')]];
    return fieldRows(schema, `${path}.`);
  });
}
