import type { Cell, Row } from './engine.ts';
import type { Kind, TableDialect } from './table-sql.ts';

export interface FoundColumn {
  readonly name: string;
  readonly kind: Kind;
}

/** Asks a database about its tables. */
export interface TableReader {
  /** The name of the engine in sentences. */
  readonly engine: string;
  readonly dialect: TableDialect;
  /**
   * The columns of a SELECT.
   * @throws SqlRejected if the engine rejects it.
   */
  describe(select: string): Promise<readonly FoundColumn[]>;
  /** The first cell of a SELECT. */
  first(select: string): Promise<Cell | undefined>;
}

/** A database with a server also lists the tables and views that its user can read, with their schemas. */
export interface ListingReader extends TableReader {
  tables(): Promise<readonly string[]>;
}

export const firstCell = ([row]: readonly Row[]): Cell | undefined => row && Object.values(row)[0];

/** The engine rejects a SELECT. The message is the engine's. */
export class SqlRejected extends Error {
  override readonly name = 'SqlRejected';
}
