import type { DuckDBConnection } from '@duckdb/node-api';
import { DESCRIPTIONS, FLAGS, LARGEST } from '../../../shared/contract/tables.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { conversionOf, isPlain, problemSql, type TimeFormat, trimmed } from './conversions.ts';
import { type BadLine, columnsOf, type EventFile, lineOf, rejectedLines } from './event-file.ts';
import { checkColumns, FIELDS, type Field, isRequired, type Mapping } from './fields.ts';
import { type Picked, pick } from './pick.ts';

/** What sessions are derived from, by event. */
export const IMPORTED = [
  ...['event_id', 'line', 'session_id', 'user_id', 'screen_name', 'recorded_at', 'uploaded_at', 'about'],
  ...FLAGS,
  ...LARGEST,
];

export interface Staged {
  /** Number of records, valid and invalid. */
  records: number;
  bad: number;
  /** The first invalid lines, in line order. */
  shown: readonly BadLine[];
  /** Valid events after the time of the import. Future times usually mean a wrong unit or time zone. */
  future: Lines & { lastAt: Millis };
  /** Valid events without an id of their own that are equal to an earlier one of the file. */
  repeated: Lines;
  /** Keys of the properties, sorted. */
  properties: readonly string[];
}

/** Their number, and the first of them. */
interface Lines {
  count: number;
  lines: readonly number[];
}

export interface StageOptions {
  mapping: Mapping;
  timeFormat: TimeFormat;
  /** With the number of the record, the id of events without their own. */
  fingerprint: string;
  /** Time of the import. */
  now: Millis;
}

const SHOWN = 10;
const SHOWN_LINES = 3;

/** Loads the valid events of a file into the table `staged`, each once, and returns the invalid lines. */
export async function stageEvents(
  connection: DuckDBConnection,
  file: EventFile,
  { mapping, timeFormat, fingerprint, now }: StageOptions,
): Promise<Staged> {
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS();
  const names = await columnsOf(connection, file);
  checkColumns(file.path, names, mapping);
  const picked = pick(file, names, mapping);
  await connection.run(`CREATE TEMP TABLE staged AS ${stagedSql(picked, timeFormat, fingerprint)}`);
  const rejected = file.format === 'parquet' ? [] : await rejectedLines(connection, file);
  const lines = (ns: unknown) => (Array.isArray(ns) ? ns : []).map((n) => lineOf(Number(n), file, rejected));

  await connection.run(`CREATE TEMP TABLE repeated AS ${repeatedSql(fingerprint)}`);
  await connection.run('UPDATE staged SET problem = why FROM repeated WHERE staged.line = repeated.line');
  const [[records, bad] = []] = await rowsOf('FROM staged SELECT count(*), count(problem)');
  const shown = await rowsOf(
    `FROM staged SELECT line, problem WHERE problem IS NOT NULL ORDER BY line LIMIT ${SHOWN}`,
  );
  if (Number(bad) > 0) await connection.run('DELETE FROM staged WHERE problem IS NOT NULL');
  const [[future, lastAt, futureLines] = []] = await rowsOf(`
    FROM staged SELECT count(*), max(recorded_at), min(line, ${SHOWN_LINES}) WHERE recorded_at > ${now}`);
  const [[equal, equalLines] = []] = await rowsOf(equalSql(fingerprint));
  const properties = await rowsOf(
    'FROM (FROM staged SELECT DISTINCT json_keys(properties) AS keys) SELECT DISTINCT unnest(keys) AS key ORDER BY key',
  );
  return {
    records: Number(records) + rejected.length,
    bad: Number(bad) + rejected.length,
    shown: [
      ...shown.map(([n, problem]) => ({ line: lines([n])[0] ?? 0, problem: String(problem) })),
      ...rejected,
    ]
      .sort((a, b) => a.line - b.line)
      .slice(0, SHOWN),
    future: { count: Number(future), lines: lines(futureLines), lastAt: Number(lastAt) },
    repeated: { count: Number(equal), lines: lines(equalLines) },
    properties: properties.map(([key]) => String(key)),
  };
}

/** All records, with their values and the problem of those that are invalid. */
function stagedSql(picked: Picked, format: TimeFormat, fingerprint: string): string {
  const { fields } = picked;
  const texts = fields.map((field) => `nullif(${trimmed(picked.text(field))}, '') AS text_${field}`);
  const values = FIELDS.map((field) => {
    const { type, sqlOf } = conversionOf(field, format);
    if (!fields.includes(field)) return `NULL::${type} AS value_${field}`;
    const value = sqlOf(`text_${field}`);
    return `${isPlain(field) ? `if(${picked.isNested(field)}, NULL, ${value})` : value} AS value_${field}`;
  });
  const problems = fields.map((field) => {
    const missing = isRequired(field) ? "'is missing'" : 'NULL';
    const problem = problemSql(`value_${field}`, conversionOf(field, format).says, picked.json(field));
    return `'${field} ' || if(text_${field} IS NULL, ${missing}, ${problem})`;
  });
  const about = DESCRIPTIONS.filter((field) => fields.includes(field)).map((field) => {
    const json = field === 'user_properties' ? `value_${field}` : `to_json(value_${field})`;
    return `'"${field}":' || ${json}`;
  });
  return `
    FROM (FROM (FROM (${picked.sql}) SELECT *, ${texts.join(', ')}) SELECT *, ${values.join(', ')})
    SELECT n AS line, coalesce(value_event_id, '${fingerprint}-' || n) AS event_id,
      ${valuesOf(['event_name', 'user_id', 'recorded_at', 'session_id', 'screen_name', ...FLAGS, ...LARGEST])},
      coalesce(value_uploaded_at, value_recorded_at) AS uploaded_at,
      nullif('{' || concat_ws(',', ${['NULL', ...about].join(', ')}) || '}', '{}') AS about,
      coalesce(json_merge_patch(rest, value_properties)::VARCHAR, rest) AS properties,
      coalesce(broken, nullif(concat_ws(', ', ${problems.join(', ')}), '')) AS problem`;
}

const valuesOf = (fields: readonly Field[]): string =>
  fields.map((field) => `value_${field} AS ${field}`).join(', ');

/** Records whose event id is already in the app or on an earlier line. */
const repeatedSql = (fingerprint: string) => `
  WITH known AS (FROM _earlier.events SELECT event_id),
    valid AS (FROM staged SELECT line, event_id WHERE problem IS NULL),
    twice AS (
      FROM valid SELECT event_id WHERE NOT starts_with(event_id, '${fingerprint}-')
      GROUP BY event_id HAVING count(*) > 1
    )
  FROM valid
  SELECT line, CASE
    WHEN starts_with(event_id, '${fingerprint}-') THEN 'this line of this file was imported before'
    WHEN event_id IN (FROM known) THEN 'event_id "' || event_id || '" is already in the app'
    ELSE 'event_id "' || event_id || '" is on an earlier line' END AS why
  WHERE event_id IN (FROM known) OR event_id IN (FROM twice)
  QUALIFY event_id IN (FROM known) OR row_number() OVER (PARTITION BY event_id ORDER BY line) > 1`;

const equalSql = (fingerprint: string) => `
  WITH hashed AS (
    FROM staged SELECT line, hash(*COLUMNS(* EXCLUDE (line, event_id, problem))) AS hash
    WHERE starts_with(event_id, '${fingerprint}-')
  ), twice AS (FROM hashed SELECT hash GROUP BY hash HAVING count(*) > 1),
  later AS (
    FROM hashed SELECT line WHERE hash IN (FROM twice)
    QUALIFY row_number() OVER (PARTITION BY hash ORDER BY line) > 1
  )
  FROM later SELECT count(*), min(line, ${SHOWN_LINES})`;
