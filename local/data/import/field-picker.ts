import { FIELDS, type Field, type Mapping, namesOf } from './fields.ts';
import { isObject } from './records.ts';

type Values = Record<string, unknown>;

/** Takes a record apart: the fields it gives, and what else it holds, the event's properties. Empty values are no values. */
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
      // Of two spellings of a field in one record the first counts, and the other is kept as a property.
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

/** What a record has under a column or a path; a column that is spelled with dots comes first. */
export function valueAt(values: Values, path: string): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  const [key = '', ...deeper] = path.split('.');
  const inner = values[key];
  return deeper.length > 0 && isObject(inner) ? valueAt(inner, deeper.join('.')) : undefined;
}

/** The record with the value at `path` under the path itself, and no longer where it was. */
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
