import { join } from 'node:path';
import { loadSettings, replaceAppFile } from '../../local/data/app-file.ts';
import { given, openGiven, settle } from '../../local/data/rows.ts';
import { GIVEN, ROWS_TABLES, type RowsTable } from '../../shared/contract/tables.ts';

const columnsOf = (table: RowsTable): string => Object.keys(GIVEN[table]).join(', ');

/** Session numbers restart, so that the first kept session of a user is that of a new user. */
const RENUMBERED =
  '* REPLACE (row_number() OVER (PARTITION BY user_id ORDER BY recorded_at, session_id) AS session_number)';

/**
 * Copies the app from the folder `dir` to `into`, as if it were imported from an export that starts at `from`. Sessions
 * that were open at `from` are left out. Importing each length separately would take most of the benchmark's time.
 */
export async function cutApp(
  dir: string,
  into: string,
  { app, from }: { app: string; from: number },
): Promise<void> {
  const settings = await loadSettings(dir, app);
  if (!settings) throw new TypeError(`there is no app ${app} in ${dir}`);
  await replaceAppFile(into, settings, async (connection) => {
    await connection.run(`ATTACH '${join(dir, `${app}.duckdb`)}' AS _whole (READ_ONLY)`);
    await openGiven(connection);
    for (const table of ROWS_TABLES)
      await connection.run(`
        INSERT INTO ${given(table)} BY NAME
        WITH kept AS (
          FROM _whole.${table} SELECT ${columnsOf(table)}
          WHERE session_id IN (FROM _whole.sessions SELECT session_id WHERE recorded_at >= ${from})
        )
        FROM kept SELECT ${table === 'sessions' ? RENUMBERED : '*'}`);
    await settle(connection);
  });
}
