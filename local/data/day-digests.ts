import { TABLES, type TableName } from '../../shared/contract/tables.ts';
import { DAY_MS } from '../../shared/units/durations.ts';

/** The digest of a set of rows, in any order. The sum of the digests of disjoint sets is that of all their rows. */
export const digestOf = (table: TableName): string =>
  `sum(hash(${Object.keys(TABLES[table]).join(', ')}))::HUGEINT`;

/** Each UTC day of the tables, with the number and the digest of its rows. */
export const dayDigestsSql = (tables: readonly TableName[]): string =>
  tables
    .map(
      (table) => `
  FROM ${table}
  SELECT '${table}' AS of_table, floor(recorded_at / ${DAY_MS})::INTEGER AS day,
    count(*) AS rows, ${digestOf(table)} AS digest
  GROUP BY day`,
    )
    .join('\n  UNION ALL');
