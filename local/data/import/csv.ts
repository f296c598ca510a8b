import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ConfigError } from '../../../shared/runtime/errors.ts';

/** A record: its values by column name, or why it is invalid. `line` counts from 1, in CSV and Parquet by row. */
export type FileRecord = { line: number } & ({ values: Record<string, unknown> } | { problem: string });

/** The first line that is not blank. It names the columns. */
export interface CsvHeader {
  line: number;
  delimiter: string;
  names: readonly string[];
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const QUOTES =
  'a quoted value is not closed, or has text after its closing quote: double each quote inside it';
const PROBLEMS: Partial<Record<string, string>> = {
  'MISSING COLUMNS': 'it has fewer values than the first line has columns',
  'TOO MANY COLUMNS': 'it has more values than the first line has columns',
  'INVALID ENCODING': 'it is not UTF-8',
};

/** Throws `ConfigError` if the header is missing or invalid. */
export async function csvHeader(file: string): Promise<CsvHeader> {
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
 * Reads the records after the header. Lines are rows, as a spreadsheet numbers them: a value may have line breaks. Blank
 * rows are left out, and not counted. Throws `ConfigError` at a broken quote, because DuckDB takes the lines after it as
 * part of the value.
 */
export async function* readCsv(
  connection: DuckDBConnection,
  file: string,
  header: CsvHeader,
): AsyncGenerator<FileRecord[]> {
  const rejects = (await rejectsIn(connection, file, header)).values();
  let reject = rejects.next().value;
  let { line } = header;
  const rows = await connection.stream(csvSql(header, 'ignore_errors = true'), { file });
  for await (const batch of rows.yieldRowsJs()) {
    const records: FileRecord[] = [];
    for (const cells of batch) {
      line += 1;
      for (; reject && reject.line <= line; reject = rejects.next().value) {
        records.push(reject);
        line = reject.line + 1;
      }
      records.push({ line, values: Object.fromEntries(header.names.map((name, i) => [name, cells[i]])) });
    }
    yield records;
  }
  if (reject) yield [reject, ...rejects];
}

/** In a scan of its own: DuckDB lists the rejected lines at the end. */
async function rejectsIn(
  connection: DuckDBConnection,
  file: string,
  header: CsvHeader,
): Promise<{ line: number; problem: string }[]> {
  const columns = header.names.map((_, i) => `c${i}`).join(', ');
  await connection.runAndReadAll(
    `SELECT count(hash(${columns})) FROM (${csvSql(header, 'store_rejects = true, rejects_limit = 0')})`,
    { file },
  );
  const found = await connection.runAndReadAll(
    'FROM reject_errors SELECT DISTINCT ON (line) line::INTEGER, error_type::VARCHAR ORDER BY line',
  );
  const rejects = found.getRowsJS();
  const [broken] = rejects.find(([, type]) => type === 'UNQUOTED VALUE') ?? [];
  if (broken !== undefined)
    throw new ConfigError(`Line ${broken} of ${file}: ${QUOTES}. --skip-bad cannot leave out this line`);
  return rejects.map(([line, type]) => ({
    line: Number(line),
    problem: PROBLEMS[String(type)] ?? `it cannot be read: ${String(type).toLowerCase()}`,
  }));
}

function csvSql({ line, delimiter, names }: CsvHeader, option: string): string {
  const columns = names.map((_, i) => `c${i}: 'VARCHAR'`).join(', ');
  return `FROM read_csv($file, auto_detect = false, header = false, skip = ${line}, delim = '${delimiter}',
    quote = '"', escape = '"', columns = {${columns}}, ${option})`;
}
