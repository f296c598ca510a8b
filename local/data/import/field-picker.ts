import { FIELDS, type Field, type Mapping, namesOf } from './fields.ts';
import { isObject } from './records.ts';

type Values = Record<string, unknown>;

/** Splits a record into fields and other values, which become properties. Omits empty values. */
type FieldPicker = (values: Values) => { fields: Partial<Record<Field, unknown>>; rest: Values };

export function fieldPicker(
  { columns, constants, properties }: Mapping,
  asProperty: (value: unknown) => unknown,
): FieldPicker {
  const fromColumns = FIELDS.filter((field) => !constants.has(field));
  const fieldsByColumn = Map.groupBy(fromColumns, (field) => columns.get(field) ?? field);
  const fieldByOtherName = new Map(
    fromColumns
      .filter((field) => !columns.has(field))
      .flatMap((field) => namesOf(field).map((name) => [name, field] as const))
      .filter(([name, field]) => name !== field),
  );
  for (const column of properties) {
    fieldsByColumn.delete(column);
    fieldByOtherName.delete(column);
  }
  const paths = [...new Set(columns.values())].filter((column) => column.includes('.'));
  return (given) => {
    const values = paths.reduce(liftedOut, given);
    const fields: Partial<Record<Field, unknown>> = {};
    const rest: Values = {};
    for (const [column, value] of Object.entries(values)) {
      if (isEmpty(value)) continue;
      const named = fieldsByColumn.get(column);
      const other = fieldByOtherName.get(column);
      for (const field of named ?? []) fields[field] = value;
      // A record may have both names of a field: the own name wins, and the other stays a property.
      if (other && (properties.has(other) || isEmpty(values[other]))) fields[other] = value;
      else if (!named) rest[column] = asProperty(value);
    }
    for (const [field, value] of constants) fields[field] = value;
    return { fields, rest };
  };
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The value at a column or path. A column with dots in its name takes precedence. */
export function valueAt(values: Values, path: string): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  const [key = '', ...deeper] = path.split('.');
  const inner = values[key];
  return deeper.length > 0 && isObject(inner) ? valueAt(inner, deeper.join('.')) : undefined;
}

/** Moves a nested value to the top level, under its path. */
function liftedOut(values: Values, path: string): Values {
  if (Object.hasOwn(values, path)) return values;
  const value = valueAt(values, path);
  return isEmpty(value) ? values : { ...without(values, path.split('.')), [path]: value };
}

function without(values: Values, [key = '', ...deeper]: string[]): Values {
  const { [key]: inner, ...others } = values;
  if (deeper.length === 0 || !isObject(inner)) return others;
  const left = without(inner, deeper);
  return Object.keys(left).length > 0 ? { ...values, [key]: left } : others;
}
