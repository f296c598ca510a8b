import type { Datum, GetQueryResultsOutput } from '@aws-sdk/client-athena';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import type { Cell, Row } from '../engine.ts';

type CellOf = (text: string) => Cell;

const text: CellOf = (cell) => cell;
/** NaN and infinity become NULL. */
const number: CellOf = (cell) => (Number.isFinite(Number(cell)) ? Number(cell) : null);

const CELLS: ReadonlyMap<string, CellOf> = new Map([
  ['varchar', text],
  ['char', text],
  ['boolean', (cell) => cell === 'true'],
  ...['tinyint', 'smallint', 'integer', 'bigint', 'float', 'double', 'decimal'].map(
    (name) => [name, number] as const,
  ),
  // The type of an untyped NULL.
  ['unknown', () => null],
]);

/**
 * The rows of one result page, converted from text to the types of their columns.
 * @throws UpstreamError for a column with nested values.
 */
export function rowsOf(page: GetQueryResultsOutput): Row[] {
  const columns = columnsOf(page).map(({ name, type }) => ({ name, cellOf: cellsOf(type) }));
  return (page.ResultSet?.Rows ?? []).map(({ Data: cells = [] }) =>
    Object.fromEntries(columns.map(({ name, cellOf }, at) => [name, typed(cells[at], cellOf)])),
  );
}

/** The columns of a result. */
export const columnsOf = (page: GetQueryResultsOutput): { name: string; type: string }[] =>
  (page.ResultSet?.ResultSetMetadata?.ColumnInfo ?? []).map(({ Name: name = '', Type: type = '' }) => ({
    name,
    type,
  }));

function cellsOf(type: string): CellOf {
  const cellOf = CELLS.get(type);
  if (cellOf === undefined)
    throw new UpstreamError(`a query returned a column of the type ${type}`, { retryable: false });
  return cellOf;
}

const typed = (datum: Datum | undefined, cellOf: CellOf): Cell =>
  datum?.VarCharValue === undefined ? null : cellOf(datum.VarCharValue);
