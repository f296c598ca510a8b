import type { SqlPartition, SqlTableName } from '../../../shared/config/sql-tables.ts';
import { dayAfter, type Kind, quotedText, type TableDialect, type TypedSql } from '../engines/table-sql.ts';

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

type Format = SqlPartition['format'];

const separatorOf = (format: Format): string =>
  ({ 'YYYY-MM-DD': '-', 'YYYY/MM/DD': '/', YYYYMMDD: '' })[format];

/** The format of days in a column. Numbers have one. */
export const formatOf = (kind: Kind, format: Format): Format => (kind === 'number' ? 'YYYYMMDD' : format);

/** Whether a value begins with a day in this format. It may continue with the hour. */
export const beginsWithDay = (value: string, format: Format): boolean =>
  new RegExp(['^\\d{4}', '\\d{2}', '\\d{2}(?!\\d)'].join(separatorOf(format))).test(value);

/** Whether a row is in a partition that may hold rows of the days. */
export function isInPartitions(
  [first, last]: readonly [string, string],
  { day, format, marginDays }: CheckedPartition,
  dialect: TableDialect,
): string {
  const bound = (of: string, more: number) => {
    if (day.kind !== 'number' && day.kind !== 'text') return dialect.dayStart(day.kind, of, more);
    const written = dayAfter(of, more).replaceAll('-', separatorOf(format));
    return day.kind === 'number' ? written : quotedText(written);
  };
  return `${day.sql} >= ${bound(first, -marginDays)} and ${day.sql} < ${bound(last, marginDays + 1)}`;
}

/**
 * Whether a row is in a partition that may hold a session with an event in the days, or an event of this session.
 * Sessions continue over midnight, so the days before and after are read too, each with its own margin.
 */
export function nearPartitions(
  days: readonly [string, string],
  { partition }: CheckedTable,
  dialect: TableDialect,
): string {
  if (!partition) return 'true';
  return isInPartitions(days, { ...partition, marginDays: partition.marginDays + 1 }, dialect);
}
