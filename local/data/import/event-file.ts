import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quotedName, quotedText } from '../../../functions/data-access/engines/table-sql.ts';
import { ConfigError, InvalidRequestError } from '../../../shared/runtime/errors.ts';
import { inDuckDb } from '../duckdb.ts';

export const FILE_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** A file that DuckDB can read. */
export interface EventFile {
  path: string;
  format: FileFormat;
  /** Only of a CSV file. */
  header?: CsvHeader;
  /** Only of a Parquet file. */
  columns?: readonly { name: string; type: string }[];
}

/** The first line that is not blank. It names the columns. */
interface CsvHeader {
  line: number;
  delimiter: string;
  names: readonly string[];
}

/** An invalid line and its problem. */
export interface BadLine {
  line: number;
  problem: string;
}

const FORMAT_OF: Record<string, FileFormat> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'ndjson',
  '.csv': 'csv',
  '.tsv': 'csv',
  '.parquet': 'parquet',
};

/** The format by file extension. Throws `InvalidRequestError` for an unknown extension. */
export function formatOf(file: string): FileFormat {
  const format = FORMAT_OF[extname(file).toLowerCase()];
  if (!format)
    throw new InvalidRequestError(
      `The format of ${file} is not known from its name: add --format ${FILE_FORMATS.join('|')}`,
    );
  return format;
}

/** Throws `ConfigError` if the file is not text in UTF-8, or its header is missing or invalid. */
export async function openEventFile(path: string, format: FileFormat): Promise<EventFile> {
  if (format === 'parquet') return { path, format, columns: await parquetColumns(path) };
  await checkText(path, format);
  return format === 'csv' ? { path, format, header: await csvHeader(path) } : { path, format };
}

async function parquetColumns(path: string) {
  return await inDuckDb(async (connection) => {
    const described = await connection.runAndReadAll(`DESCRIBE FROM read_parquet(${quotedText(path)})`);
    return described.getRowsJS().map(([name, type]) => ({ name: String(name), type: String(type) }));
  }).catch((cause: unknown) => {
    throw new ConfigError(`${path} is not a readable Parquet file`, { cause });
  });
}

const HEAD_BYTES = 4096;

async function checkText(path: string, format: FileFormat): Promise<void> {
  const file = await open(path);
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES)
    .finally(() => file.close());
  const head = buffer.subarray(0, bytesRead);
  // Text in UTF-16 has zeros too.
  if (head.includes(0) || head.toString('hex', 0, 2) === '1f8b')
    throw new ConfigError(
      `${path} is a binary or compressed file or text in UTF-16, and not ${format.toUpperCase()} in UTF-8`,
    );
}

const NOT_UTF8 = 'it is not UTF-8: convert the file, such as with iconv -f LATIN1 -t UTF-8';
const QUOTES =
  'a quoted value is not closed, or has text after its closing quote: double each quote inside it';
const DELIMITERS = [',', ';', '\t', '|'] as const;

async function csvHeader(file: string): Promise<CsvHeader> {
  const input = createReadStream(file);
  let line = 0;
  try {
    for await (const text of createInterface({ input })) {
      line += 1;
      if (text.trim() !== '') return headerIn(text.replace(/^\uFEFF/, ''), file, line);
    }
  } finally {
    input.destroy();
  }
  throw new ConfigError(`${file} is empty: its first line must name the columns`);
}

function headerIn(text: string, file: string, line: number): CsvHeader {
  const withoutQuoted = text.replaceAll(/"[^"]*"/g, '');
  if (withoutQuoted.includes('"'))
    throw new ConfigError(`Line ${line} of ${file} must name the columns, but ${QUOTES}`);
  if (text.includes('\uFFFD')) throw new ConfigError(`Line ${line} of ${file}: ${NOT_UTF8}`);
  const widthBy = (delimiter: string) => withoutQuoted.split(delimiter).length;
  const delimiter = DELIMITERS.toSorted((a, b) => widthBy(b) - widthBy(a))[0] ?? ',';
  const cells = text.split(new RegExp(`[${delimiter}](?=(?:[^"]*"[^"]*")*[^"]*$)`));
  const names = cells.map((cell) => cell.replace(/^"(.*)"$/, '$1').replaceAll('""', '"'));
  const unusable = names.find((name, i) => name.trim() === '' || names.indexOf(name) < i);
  if (unusable !== undefined)
    throw new ConfigError(
      `Line ${line} of ${file} must name each column once: "${unusable}" is empty or repeated`,
    );
  return { line, delimiter, names };
}

/**
 * The records of a file, numbered by `n` from 1: `c0`, `c1` and so on, or one JSON text in `record`. Blank rows are left
 * out, and in CSV not counted. DuckDB lists lines that it cannot read in `reject_errors`.
 */
export function recordsSql({ path, header, columns }: EventFile): string {
  const numbered = (columns: string, from: string) =>
    `SELECT row_number() OVER () AS n, ${columns} FROM ${from}`;
  const csv = (options: string) =>
    `read_csv(${quotedText(path)}, auto_detect = false, header = false, ${options},
      store_rejects = true, rejects_limit = 0)`;
  if (header) {
    const cells = header.names.map((_, i) => `c${i}: 'VARCHAR'`).join(', ');
    const { line, delimiter } = header;
    return numbered(
      '*',
      csv(`skip = ${line}, delim = '${delimiter}', quote = '"', escape = '"', columns = {${cells}}`),
    );
  }
  if (columns) {
    const whole = columns.filter(({ type }) => type === 'DOUBLE' || type === 'FLOAT').map(wholeNumber);
    const replaced = whole.length > 0 ? ` REPLACE (${whole.join(', ')})` : '';
    const rows = `(SELECT *${replaced} FROM read_parquet(${quotedText(path)}, binary_as_string = true)) AS row`;
    return numbered('to_json(row)::VARCHAR AS record', rows);
  }
  // JSON has no control characters, so each line is one column.
  const lines = csv(
    `delim = '\u0001', quote = '', escape = '', columns = {record: 'VARCHAR'}, strict_mode = false, max_line_size = ${MOST_LINE_BYTES}`,
  );
  return `FROM (${numbered('record', lines)}) WHERE regexp_matches(record, '\\S')`;
}

/** 3 rather than 3.0, and nothing for NaN. */
function wholeNumber({ name }: { name: string }): string {
  const column = quotedName(name);
  return `CASE WHEN ${column} = trunc(${column}) AND abs(${column}) < 1e15 THEN to_json(${column}::BIGINT)
    WHEN isfinite(${column}) THEN to_json(${column}) END AS ${column}`;
}

const MOST_LINE_BYTES = 16_777_216;
/** The problem of a record that is not a JSON object. DuckDB reads NaN and Infinity, which JSON does not have. */
export const RECORD_PROBLEM = `CASE WHEN NOT json_valid(record) THEN 'it is not valid JSON'
  WHEN json_type(record) <> 'OBJECT' THEN 'it is not a JSON object'
  WHEN NOT contains(record, 'NaN') AND NOT contains(record, 'Inf') THEN NULL
  WHEN regexp_matches(regexp_replace(record, '"(\\\\.|[^"\\\\])*"', '', 'g'), 'NaN|Inf')
  THEN 'it has a number that JSON does not have, such as NaN' END`;

/** The columns of the file, or the keys of its records. */
export async function columnsOf(connection: DuckDBConnection, file: EventFile): Promise<readonly string[]> {
  if (file.header) return file.header.names;
  if (file.columns) return file.columns.map(({ name }) => name);
  const found = await connection.runAndReadAll(`
    WITH keys AS (FROM (${recordsSql(file)})
      SELECT DISTINCT CASE WHEN json_valid(record) THEN json_keys(record) END AS names)
    FROM keys SELECT DISTINCT unnest(names)`);
  return found.getRowsJS().map(([name]) => String(name));
}

const PROBLEMS: Partial<Record<string, string>> = {
  'MISSING COLUMNS': 'it has fewer values than the first line has columns',
  'TOO MANY COLUMNS': 'it has more values than the first line has columns',
  'INVALID ENCODING': NOT_UTF8,
};

/**
 * The lines that the last reading of the file left out. Throws `ConfigError` at a broken quote, because DuckDB takes the
 * lines after it as part of the value.
 */
export async function rejectedLines(connection: DuckDBConnection, { path }: EventFile): Promise<BadLine[]> {
  const found = await connection.runAndReadAll(`
    FROM reject_errors SELECT DISTINCT ON (line) line::INTEGER, error_type::VARCHAR
    WHERE scan_id = (FROM reject_scans SELECT max(scan_id)) ORDER BY line`);
  const rejects = found.getRowsJS();
  const [broken] = rejects.find(([, type]) => type === 'UNQUOTED VALUE') ?? [];
  if (broken !== undefined)
    throw new ConfigError(`Line ${broken} of ${path}: ${QUOTES}. --skip-bad cannot leave out this line`);
  return rejects.map(([line, type]) => ({
    line: Number(line),
    problem: PROBLEMS[String(type)] ?? `it cannot be read: ${String(type).toLowerCase()}`,
  }));
}

/** The line of the record with the number `n`. Lines are rows, as a spreadsheet numbers them: a value may have line breaks. */
export function lineOf(n: number, { header }: EventFile, rejected: readonly BadLine[]): number {
  return rejected.reduce((line, reject) => (reject.line <= line ? line + 1 : line), n + (header?.line ?? 0));
}
