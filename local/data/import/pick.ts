import { quotedText } from '../../../functions/data-access/engines/table-sql.ts';
import { type EventFile, RECORD_PROBLEM, recordsSql } from './event-file.ts';
import { FIELDS, type Field, type Mapping, namesOf } from './fields.ts';

/** The raw values of the fields of each record, and its other values as properties. */
export interface Picked {
  /**
   * SELECT of `n`, the raw value of each field under its name, `rest` as a JSON object without empty values, and
   * `broken`, the problem of a line that is not a record.
   */
  sql: string;
  fields: readonly Field[];
  /** SQL of a raw value as text, as JSON, and whether it is a JSON object or list. */
  text(raw: string): string;
  json(raw: string): string;
  isNested(raw: string): string;
}

/** Columns are the names in the file. Both names of a field in one file: its own wins, and the other is a property. */
export function pick(file: EventFile, names: readonly string[], mapping: Mapping): Picked {
  const columns = new Map(
    FIELDS.flatMap((field) => {
      const column = mapping.columns.get(field) ?? namesOf(field).find((name) => isOwn(name));
      return column === undefined || mapping.constants.has(field) ? [] : [[field, column] as const];
    }),
  );
  function isOwn(name: string): boolean {
    return names.includes(name) && !mapping.properties.has(name);
  }
  return file.header ? fromColumns(file, columns, mapping) : fromRecords(file, names, columns, mapping);
}

function fromColumns(file: EventFile, columns: ReadonlyMap<Field, string>, { constants }: Mapping): Picked {
  const names = file.header?.names ?? [];
  const cell = (name: string): string => `c${names.indexOf(name)}`;
  const used = new Set(columns.values());
  const properties = names
    .filter((name) => !used.has(name))
    .map((name) => `${quotedText(`${JSON.stringify(name)}:`)} || ${numberOrText(cell(name))}`);
  const values = [
    ...[...columns].map(([field, column]) => `${cell(column)} AS ${field}`),
    ...[...constants].map(([field, value]) => `${quotedText(value)} AS ${field}`),
  ];
  return {
    sql: `SELECT n, NULL AS broken, '{' || concat_ws(',', ${['NULL', ...properties].join(', ')}) || '}' AS rest,
      ${values.join(', ')} FROM (${recordsSql(file)})`,
    fields: [...columns.keys(), ...constants.keys()],
    text: (raw) => raw,
    json: (raw) => `to_json(${raw})::VARCHAR`,
    isNested: () => 'FALSE',
  };
}

/** JSON of a cell: "12.5" and "10.00" are numbers. "007", "1e5" and numbers beyond the safe range stay text. */
function numberOrText(cell: string): string {
  const safe = Number.MAX_SAFE_INTEGER;
  return `CASE WHEN NOT regexp_full_match(${cell}, '-?(0|[1-9]\\d{0,15})(\\.\\d+)?') THEN to_json(${cell})
    WHEN abs(${cell}::DOUBLE) > ${safe} THEN to_json(${cell})
    WHEN contains(${cell}, '.') THEN rtrim(rtrim(${cell}, '0'), '.') ELSE ${cell} END`;
}

function fromRecords(
  file: EventFile,
  names: readonly string[],
  columns: ReadonlyMap<Field, string>,
  { constants }: Mapping,
): Picked {
  const used = [...new Set(columns.values())].map((column) => ({
    column,
    path: names.includes(column) ? [column] : column.split('.'),
  }));
  const whole = used.flatMap(({ path: [name = '', ...deeper] }) => (deeper.length > 0 ? [] : [name]));
  const valid = `SELECT n, ${RECORD_PROBLEM} AS broken, if(broken IS NULL, record, NULL) AS record
    FROM (${recordsSql(file)})`;
  const pointers = used.map(({ path }) => quotedText(pointerTo(path)));
  const raw = (column: string): string =>
    `found[${used.findIndex((each) => each.column === column) + 1}]::VARCHAR`;
  const values = [
    ...[...columns].map(([field, column]) => `${raw(column)} AS ${field}`),
    ...[...constants].map(([field, value]) => `${quotedText(JSON.stringify(value))} AS ${field}`),
  ];
  const without = JSON.stringify(Object.fromEntries(whole.map((name) => [name, null])));
  return {
    sql: `SELECT n, broken, json_merge_patch('{}', record, ${quotedText(without)}, ${EMPTY_TEXTS})::VARCHAR AS rest,
      ${values.join(', ')}
      FROM (SELECT *, json_extract(record, [${pointers.join(', ')}]) AS found FROM (${valid}))`,
    fields: [...columns.keys(), ...constants.keys()],
    // 7.0 and 7 are the same id.
    text: (value) => `(if(ends_with(${value}, '.0'), left(${value}, -2), ${value}) ->> '$')`,
    json: (value) => value,
    isNested: (value) => `left(${value}, 1) IN ('{', '[')`,
  };
}

/** A patch that removes the keys with empty texts. */
const EMPTY_TEXTS = `if(contains(record, '""'), '{' || array_to_string(list_transform(
  list_filter(json_keys(record), key -> (record ->> ('/' || replace(replace(key, '~', '~0'), '/', '~1'))) = ''),
  key -> to_json(key) || ':null'), ',') || '}', '{}')`;

const pointerTo = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
