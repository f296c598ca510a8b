import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBTimestampValue,
  DuckDBTypeId,
  LIST,
  VARCHAR,
} from '@duckdb/node-api';
import type { Millis } from '../../shared/runtime/clock.ts';

/** A row of `sessions`, named as its columns; an absent field is NULL. */
export interface SessionRow {
  session_id: string;
  user_id: string;
  user_name?: string;
  /** 1 for the session that made its user new, then counting up. */
  session_number: number;
  /** When the session began. */
  recorded_at: Millis;
  uploaded_at: Millis;
  duration_sec: number;
  gesture_count: number;
  rage_gesture_count: number;
  responsive_gesture_count: number;
  unresponsive_gesture_count: number;
  screen_count: number;
  unique_screen_count: number;
  /** The screens in the order of their visits, a screen returned to listed again. */
  screens: string[];
  event_count: number;
  crashed: boolean;
  has_video: boolean;
  offline: boolean;
  network_type?: string;
  platform: 'android' | 'ios' | 'web';
  device_id?: string;
  device_model?: string;
  device_manufacturer?: string;
  device_class?: string;
  os_name?: string;
  os_version?: string;
  app_version?: string;
  sdk_version?: string;
  language?: string;
  country_code?: string;
  country?: string;
  city?: string;
  browser_name?: string;
  browser_version?: string;
  device_type?: string;
  referer?: string;
  referer_domain?: string;
  utm?: string;
  landing_page?: string;
  /** A JSON object. */
  user_properties: string;
}

/** A row of `events`, named as its columns; an absent field is NULL. */
export interface EventRow {
  event_id: string;
  session_id: string;
  user_id: string;
  event_name: string;
  screen_name?: string;
  recorded_at: Millis;
  uploaded_at: Millis;
  /** A JSON object. */
  properties: string;
}

export interface RowBatch {
  sessions: readonly SessionRow[];
  events: readonly EventRow[];
}

/** Appends `batches` to the tables of the schema that `connection` has open. */
export async function appendBatches(
  connection: DuckDBConnection,
  batches: Iterable<RowBatch> | AsyncIterable<RowBatch>,
): Promise<void> {
  const sessions = await RowAppender.open<SessionRow>(connection, 'sessions');
  const events = await RowAppender.open<EventRow>(connection, 'events');
  for await (const batch of batches) {
    sessions.append(batch.sessions);
    events.append(batch.events);
  }
  sessions.close();
  events.close();
}

type Cell = string | number | boolean | readonly string[] | undefined;

/** Appends rows to one table, columns by name and in the table's order; closing it makes them visible. */
export class RowAppender<Row extends object> {
  readonly #appender: DuckDBAppender;
  readonly #columns: readonly { name: keyof Row; typeId: DuckDBTypeId }[];

  private constructor(appender: DuckDBAppender, names: readonly (keyof Row)[]) {
    this.#appender = appender;
    this.#columns = names.map((name, index) => ({ name, typeId: appender.columnType(index).typeId }));
  }

  static async open<Row extends object>(
    connection: DuckDBConnection,
    table: string,
  ): Promise<RowAppender<Row>> {
    const columns = await connection.runAndReadAll(
      'SELECT column_name FROM duckdb_columns() WHERE table_name = $table ORDER BY column_index',
      { table },
    );
    const names = columns.getColumnsJS()[0] as (keyof Row)[];
    return new RowAppender(await connection.createAppender(table), names);
  }

  append(rows: Iterable<Row>): void {
    for (const row of rows) {
      for (const { name, typeId } of this.#columns) appendCell(this.#appender, row[name] as Cell, typeId);
      this.#appender.endRow();
    }
  }

  close(): void {
    this.#appender.closeSync();
  }
}

function appendCell(appender: DuckDBAppender, cell: Cell, typeId: DuckDBTypeId): void {
  if (cell === undefined) appender.appendNull();
  else if (typeof cell === 'string') appender.appendVarchar(cell);
  else if (typeof cell === 'boolean') appender.appendBoolean(cell);
  else if (typeof cell === 'object') appender.appendList(cell, LIST(VARCHAR));
  else if (typeId === DuckDBTypeId.INTEGER) appender.appendInteger(cell);
  else if (typeId === DuckDBTypeId.DOUBLE) appender.appendDouble(cell);
  else appender.appendTimestamp(new DuckDBTimestampValue(BigInt(cell) * 1000n));
}
