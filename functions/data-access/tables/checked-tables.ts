import type { SqlTableName } from '../../../shared/config/sql-tables.ts';
import type { TypedSql } from './table-dialect.ts';

/** A table of a team whose columns exist and have types that can be read. */
export interface CheckedTable {
  /** As it stands after `from`. */
  readonly from: string;
  readonly columns: ReadonlyMap<string, TypedSql>;
}

/** The tables of an app. What is missing is derived from the events. */
export type CheckedTables = Readonly<Partial<Record<SqlTableName, CheckedTable>>> & {
  readonly events: CheckedTable;
};
