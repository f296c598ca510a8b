import type { PGlite } from '@electric-sql/pglite';
import type { PostgresClient } from '../../../../functions/data-access/engines/postgres/engine.ts';
import { POSTGRES_TYPES } from '../../../../functions/data-access/engines/postgres/engine.ts';

const asText = Object.fromEntries(
  Object.values(POSTGRES_TYPES).map((type) => [type, (cell: string) => cell]),
);

/** The PostgreSQL of a process, which runs one statement at a time. It has no connections and cannot stop a statement. */
export const pgliteClient = (database: PGlite): PostgresClient => ({
  run: (sql, parameters, { signal }) =>
    database.transaction(async (transaction) => {
      signal.throwIfAborted();
      await transaction.exec("set transaction read only; set local time zone 'UTC'");
      const { fields, rows } = await transaction.query<(string | null)[]>(sql, [...parameters], {
        rowMode: 'array',
        parsers: asText,
      });
      return { columns: fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID })), rows };
    }),
  close: () => database.close(),
});
