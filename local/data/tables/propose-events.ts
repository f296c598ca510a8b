import type { FoundColumn } from '../../../functions/data-access/engines/table-reader.ts';
import type { Kind } from '../../../functions/data-access/engines/table-sql.ts';
import { COLUMNS_OF } from '../../../shared/config/sql-tables.ts';
import type { RowType } from '../../../shared/contract/tables.ts';
import { rankOf } from '../import/column-names.ts';
import { FIELDS, type Field, REQUIRED } from '../import/fields.ts';

/** The columns of a table of events by field. A property keeps the name of its column. */
export interface ProposedColumns {
  readonly columns: ReadonlyMap<Field, string>;
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
    found.flatMap(({ name, kind }) => {
      const rank = kindsOf(field).includes(kind) ? rankOf(field, name) : undefined;
      return rank === undefined ? [] : [{ field, name, rank }];
    }),
  );
  const columns = new Map<Field, string>();
  const used = new Set<string>();
  for (const { field, name } of fits.toSorted((a, b) => a.rank - b.rank)) {
    if (columns.has(field) || used.has(name)) continue;
    columns.set(field, name);
    used.add(name);
  }
  const properties = columns.has('properties')
    ? []
    : found.filter(({ name, kind }) => !used.has(name) && PLAIN.includes(kind)).map(({ name }) => name);
  return { columns, properties, missing: REQUIRED.filter((field) => !columns.has(field)) };
}

const PLAIN: readonly Kind[] = ['text', 'number', 'boolean'];

function kindsOf(field: Field): readonly Kind[] {
  if (field === 'properties' || field === 'user_properties') return ['json'];
  switch (TYPES[field]) {
    case 'millis':
      return ['timestamptz', 'timestamp', 'date'];
    case 'integer':
    case 'integer?':
    case 'double':
      return ['number'];
    case 'boolean':
      return ['boolean'];
    default:
      return field.endsWith('_id') ? ['text', 'number', 'other'] : ['text'];
  }
}
