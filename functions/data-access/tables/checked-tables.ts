import type { SqlPartition, SqlTableName } from '../../../shared/config/sql-tables.ts';
import type { TypedSql } from '../engines/table-sql.ts';

/** The day of the partition of a row. */
export interface CheckedPartition extends Omit<SqlPartition, 'day'> {
  readonly day: TypedSql;
}

/** A table of a team whose columns exist and have types that can be read. */
export interface CheckedTable {
  /** As it stands after `from`. */
  readonly from: string;
  readonly columns: ReadonlyMap<string, TypedSql>;
  readonly partition?: CheckedPartition | undefined;
}

/** The tables of an app. What is missing is derived from the events. */
export type CheckedTables = { readonly [Name in SqlTableName]?: CheckedTable | undefined } & {
  readonly events: CheckedTable;
};
