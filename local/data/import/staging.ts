import type { DuckDBConnection } from '@duckdb/node-api';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { RowAppender } from '../rows.ts';
import type { RowReader, StagedRow } from './event-row.ts';
import { COUNTS, FLAGS } from './fields.ts';
import type { RecordFile } from './records.ts';

const columnsOf = (names: readonly string[], type: string) =>
  Object.fromEntries(names.map((name) => [name, type]));

/** What sessions are derived from, by event. */
export const IMPORTED: Readonly<Record<string, string>> = {
  event_id: 'VARCHAR NOT NULL',
  line: 'INTEGER NOT NULL',
  session_id: 'VARCHAR',
  user_id: 'VARCHAR NOT NULL',
  screen_name: 'VARCHAR',
  recorded_at: 'BIGINT NOT NULL',
  uploaded_at: 'BIGINT NOT NULL',
  about: 'VARCHAR',
  ...columnsOf(FLAGS, 'BOOLEAN'),
  ...columnsOf(COUNTS, 'INTEGER'),
};

const tableSql = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');

export const IMPORTED_COLUMNS_SQL = tableSql(IMPORTED);

/** The valid rows of a file. DuckDB spills them to disk above the memory limit. */
const STAGED_SQL = `CREATE TEMP TABLE staged (${tableSql({ ...IMPORTED, event_name: 'VARCHAR NOT NULL', properties: 'VARCHAR NOT NULL' })})`;

/** Rows whose event id is already in the app or on an earlier line. */
const repeatedSql = (fingerprint: string) => `
CREATE TEMP TABLE repeated AS
WITH known AS (FROM _earlier.events SELECT event_id),
  given AS (FROM staged SELECT event_id WHERE NOT starts_with(event_id, '${fingerprint}-')),
  twice AS (FROM given SELECT event_id GROUP BY event_id HAVING count(*) > 1)
FROM staged
SELECT line, event_id, event_id IN (FROM known) AS in_app
WHERE in_app OR event_id IN (FROM twice)
QUALIFY in_app OR row_number() OVER (PARTITION BY event_id ORDER BY line) > 1`;

/** An invalid line and its problem. */
interface BadLine {
  line: number;
  problem: string;
}

export interface Staged {
  /** Number of records, valid and invalid. */
  records: number;
  bad: number;
  /** The first invalid lines, in line order. */
  shown: readonly BadLine[];
  /** Valid events after the time of the import. */
  future: Future;
}

interface Future {
  count: number;
  /** The first lines. */
  lines: readonly number[];
  lastAt: Millis;
}

export interface StageOptions {
  read: RowReader;
  /** With the line, the id of events without their own. */
  fingerprint: string;
  onProgress: ((records: number) => void) | undefined;
  /** Time of the import. */
  now: Millis;
}

const SHOWN = 10;
const SHOWN_FUTURE = 3;

/** Loads the valid rows into `staged`, each event once, and returns the invalid ones. */
export async function stageRecords(
  connection: DuckDBConnection,
  records: RecordFile['records'],
  { read, fingerprint, onProgress, now }: StageOptions,
): Promise<Staged> {
  await connection.run(STAGED_SQL);
  const appender = await RowAppender.open<StagedRow>(connection, 'staged');
  const tally = { records: 0, bad: 0, shown: [] as BadLine[] };
  for await (const batch of records) {
    const rows: StagedRow[] = [];
    for (const record of batch) {
      const outcome = 'problem' in record ? record : read(record.line, record.values);
      if ('problem' in outcome) {
        tally.bad += 1;
        if (tally.bad <= SHOWN) tally.shown.push({ line: record.line, problem: outcome.problem });
      } else rows.push({ ...outcome.row, event_id: outcome.row.event_id ?? `${fingerprint}-${record.line}` });
    }
    appender.append(rows);
    tally.records += batch.length;
    onProgress?.(tally.records);
  }
  appender.close();
  const repeated = await takeOutRepeated(connection, fingerprint);
  return {
    records: tally.records,
    bad: tally.bad + repeated.count,
    shown: [...tally.shown, ...repeated.shown].sort((a, b) => a.line - b.line).slice(0, SHOWN),
    future: await futureOf(connection, now),
  };
}

/** Future times usually mean a wrong unit or time zone. */
async function futureOf(connection: DuckDBConnection, now: Millis): Promise<Future> {
  const found = await connection.runAndReadAll(`
    FROM staged
    SELECT count(*)::INTEGER, max(recorded_at)::DOUBLE, min(line, ${SHOWN_FUTURE})
    WHERE recorded_at > ${now}`);
  const [count, lastAt, lines] = found.getRowsJS()[0] ?? [];
  return {
    count: Number(count ?? 0),
    lastAt: Number(lastAt ?? 0),
    lines: Array.isArray(lines) ? lines.map(Number) : [],
  };
}

async function takeOutRepeated(
  connection: DuckDBConnection,
  fingerprint: string,
): Promise<{ count: number; shown: BadLine[] }> {
  await connection.run(repeatedSql(fingerprint));
  const { rowsChanged: count } = await connection.run(
    'DELETE FROM staged WHERE line IN (FROM repeated SELECT line)',
  );
  const first = await connection.runAndReadAll(
    `FROM repeated SELECT line, event_id, in_app ORDER BY line LIMIT ${SHOWN}`,
  );
  const shown = first.getRowsJS().map(([line, eventId, inApp]) => {
    const isOurs = String(eventId).startsWith(`${fingerprint}-`);
    const where = inApp ? 'already in the app' : 'on an earlier line';
    return {
      line: Number(line),
      problem: isOurs ? 'this line of this file was imported before' : `event_id "${eventId}" is ${where}`,
    };
  });
  return { count, shown };
}
