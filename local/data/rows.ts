import type { DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { columnsSql } from '../../functions/data-access/engines/duckdb/schema.ts';
import type { Platform } from '../../shared/contract/filters.ts';
import {
  CARRIED,
  type Columns,
  GIVEN,
  ROW_ORDER,
  ROWS_TABLES,
  type Row,
  type RowsTable,
} from '../../shared/contract/tables.ts';
import { DAY_MS } from '../../shared/units/durations.ts';

/** A row to write. An absent field is NULL. */
type Given<C extends Columns> = {
  [Name in keyof C as C[Name] extends `${string}?` ? never : Name]: Row<C>[Name];
} & { [Name in keyof C as C[Name] extends `${string}?` ? Name : never]?: Row<C>[Name] };

export type SessionRow = Omit<Given<typeof GIVEN.sessions>, 'platform'> & { platform: Platform };
export type EventRow = Given<typeof GIVEN.events>;
export type VisitRow = Given<typeof GIVEN.screen_visits>;

/** Rows in any order. An event or visit may come before its session. */
export interface RowBatch {
  sessions: readonly SessionRow[];
  events: readonly EventRow[];
  visits: readonly VisitRow[];
}

/** The temporary table that collects the rows of a table. */
export const given = (table: RowsTable): string => `given_${table}`;

/** Creates the temporary tables. `settle` moves their rows to the final tables. */
export async function openGiven(connection: DuckDBConnection): Promise<void> {
  for (const table of ROWS_TABLES)
    await connection.run(`CREATE TEMP TABLE ${given(table)} (${columnsSql(GIVEN[table])})`);
}

export async function writeRows(
  connection: DuckDBConnection,
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
): Promise<void> {
  await openGiven(connection);
  const sessions = await appenderOf<SessionRow>(connection, given('sessions'));
  const events = await appenderOf<EventRow>(connection, given('events'));
  const visits = await appenderOf<VisitRow>(connection, given('screen_visits'));
  for await (const batch of batches) {
    sessions.append(batch.sessions);
    events.append(batch.events);
    visits.append(batch.visits);
  }
  for (const appender of [sessions, events, visits]) appender.close();
  await settle(connection);
}

/** Adds session columns to the collected rows, and writes them to the final tables in row order. */
export async function settle(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    INSERT INTO sessions BY NAME
    WITH firsts AS (
      FROM ${given('sessions')}
      SELECT DISTINCT ON (user_id) user_id, utm AS first_utm, referer AS first_referer,
        referer_domain AS first_referer_domain, screens[1] AS first_screen_name,
        landing_page AS first_landing_page
      WHERE session_number = 1
      ORDER BY user_id, recorded_at, session_id
    )
    FROM ${given('sessions')} LEFT JOIN firsts USING (user_id)
    ORDER BY ${orderOf('sessions', given('sessions'))}`);
  const carried = Object.keys(CARRIED).map((name) => `sessions.${name}`);
  for (const table of ['events', 'screen_visits'] as const)
    await connection.run(`
      INSERT INTO ${table} BY NAME
      FROM ${given(table)} AS own LEFT JOIN sessions USING (session_id)
      SELECT own.*, ${carried.join(', ')}
      ORDER BY ${orderOf(table, 'own')}`);
  for (const table of ROWS_TABLES) await connection.run(`DROP TABLE ${given(table)}`);
}

const orderOf = (table: RowsTable, from: string): string =>
  ROW_ORDER[table]
    .map((name) => (name === 'day' ? `${from}.recorded_at // ${DAY_MS}` : `${from}.${name}`))
    .join(', ');

type Cell = string | number | boolean | readonly string[] | null | undefined;

/** The most rows that DuckDB takes at once. Cell by cell takes twice as long. */
const CHUNK_ROWS = 2048;

/** Appends rows to a table, matching columns by name. Rows are visible after `close`. */
async function appenderOf<Row extends object>(connection: DuckDBConnection, table: string) {
  const { DuckDBDataChunk, DuckDBTypeId, listValue } = await import('@duckdb/node-api');
  const columns = await connection.runAndReadAll(
    'SELECT column_name FROM duckdb_columns() WHERE table_name = $table ORDER BY column_index',
    { table },
  );
  const names = columns.getColumnsJS()[0] as (keyof Row)[];
  const appender = await connection.createAppender(table);
  const types = names.map((_, index) => appender.columnType(index));
  let waiting: Row[] = [];

  const valueIn = (cell: Cell, type: DuckDBType | undefined): DuckDBValue => {
    if (cell === undefined || cell === null) return null;
    if (typeof cell === 'object') return listValue(cell);
    return type?.typeId === DuckDBTypeId.BIGINT && typeof cell === 'number' ? BigInt(cell) : cell;
  };
  const appendWaiting = () => {
    const chunk = DuckDBDataChunk.create(types, waiting.length);
    for (const [index, name] of names.entries())
      chunk.setColumnValues(
        index,
        waiting.map((row) => valueIn(row[name] as Cell, types[index])),
      );
    appender.appendDataChunk(chunk);
    waiting = [];
  };
  return {
    append(rows: Iterable<Row>): void {
      for (const row of rows) if (waiting.push(row) === CHUNK_ROWS) appendWaiting();
    },
    close(): void {
      appendWaiting();
      appender.closeSync();
    },
  };
}
