import type { FoundColumn } from '../../../functions/data-access/engines/table-reader.ts';
import type { Kind } from '../../../functions/data-access/engines/table-sql.ts';
import { COLUMNS_OF } from '../../../shared/config/sql-tables.ts';
import type { RowType } from '../../../shared/contract/tables.ts';
import { rankOf } from '../import/column-names.ts';
import { FIELDS, type Field, REQUIRED } from '../import/fields.ts';
import { surest } from '../import/propose-mapping.ts';

/** The columns of a table of events by field. Other columns can be properties, by their own names. */
export interface ProposedColumns {
  readonly columns: ReadonlyMap<Field, FoundColumn>;
  readonly properties: readonly string[];
  /** Required fields for which no column has a fitting name and type. */
  readonly missing: readonly Field[];
}

const TYPES: Readonly<Partial<Record<string, RowType>>> = COLUMNS_OF.events;
const OF_TABLES = FIELDS.filter(
  (field) => field in TYPES || field === 'properties' || field === 'user_properties',
);

/** The columns whose names and types suggest fields of events. */
export function proposeColumns(found: readonly FoundColumn[]): ProposedColumns {
  const fits = OF_TABLES.flatMap((field) =>
    found.flatMap((column) => {
      const kinds = kindsOf(field).findIndex((each) => each.includes(column.kind));
      const rank = rankOf(field, column.name);
      return rank === undefined || kinds < 0 ? [] : [{ field, column, rank: rank + kinds * LAST_RANK }];
    }),
  );
  const columns = new Map(surest(fits).map(({ field, column }) => [field, column]));
  const used = [...columns.values()];
  const properties = found
    .filter((column) => !used.includes(column) && PLAIN.includes(column.kind))
    .map(({ name }) => name);
  return { columns, properties, missing: REQUIRED.filter((field) => !columns.has(field)) };
}

const PLAIN: readonly Kind[] = ['text', 'number', 'boolean'];

/** Above all ranks of names. */
const LAST_RANK = 10;

/** Kinds that fit, and then those whose values decide: a number may be a time, and a text an object. */
function kindsOf(field: Field): readonly (readonly Kind[])[] {
  if (field === 'properties' || field === 'user_properties') return [['json'], ['text']];
  switch (TYPES[field]) {
    case 'millis':
      return [['timestamptz', 'timestamp', 'date'], ['number']];
    case 'integer':
    case 'integer?':
    case 'double':
      return [['number']];
    case 'boolean':
      return [['boolean']];
    default:
      // An enumeration is of another kind.
      return [field.endsWith('_id') ? ['text', 'number', 'other'] : ['text', 'other']];
  }
}
