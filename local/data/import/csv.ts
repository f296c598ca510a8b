import { parse } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import type { FileRecord } from './file-record.ts';
import { type Line, readLines } from './lines.ts';

export interface CsvColumns {
  names: readonly string[];
  delimiter: string;
  /** The line number of the header. */
  line: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** A longer record counts as one with a missing closing quote. */
const MAX_RECORD_BYTES = 1 << 20;

/** Reads the header: the first line that is not blank. Throws `ConfigError` if it is missing or invalid. */
export async function csvColumns(file: string): Promise<CsvColumns> {
  for await (const lines of readLines(file)) {
    const header = lines.find(({ text }) => text.trim() !== '');
    if (header) return columnsOf(header, file);
  }
  throw new ConfigError(`${file} is empty: its first line must name the columns`);
}

function columnsOf({ line, text }: Line, file: string): CsvColumns {
  const counts = DELIMITERS.map((delimiter) => text.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const names = namesIn(text, delimiter);
  if (names === undefined)
    throw new ConfigError(`Line ${line} of ${file} must name the columns, but a quoted value is not closed`);
  const unusable = names.find((name, i) => name.trim() === '' || names.indexOf(name) < i);
  if (unusable !== undefined)
    throw new ConfigError(
      `Line ${line} of ${file} must name each column once: "${unusable}" is empty or repeated`,
    );
  return { names, delimiter, line };
}

const STRAY_QUOTE = 'an unquoted value contains a quote: quote the value and double the quote';

function unclosed(line: number, file: string): ConfigError {
  return new ConfigError(
    `Line ${line} of ${file} has a quoted value that is not closed: close it, and double each quote inside it`,
  );
}

function namesIn(text: string, delimiter: string): string[] | undefined {
  try {
    return parseAll(text, { delimiter })[0];
  } catch {
    return undefined;
  }
}

/**
 * Reads the records of a CSV file (RFC 4180). `line` is the first line of a record. Throws `ConfigError` if a
 * quoted value is not closed, because the start of the next record is then unknown.
 */
export async function* readCsv(file: string, columns: CsvColumns): AsyncGenerator<FileRecord[]> {
  const { delimiter, line: header } = columns;
  const records: FileRecord[] = [];
  let brokenAt: number | undefined;
  let [last, blank] = [0, 0];
  const parser = parse({
    ...{ delimiter, record_delimiter: '\n', max_record_size: MAX_RECORD_BYTES },
    ...{ skip_empty_lines: true, relax_column_count: true, skip_records_with_error: true },
    on_record(cells: string[], { lines, empty_lines }) {
      const inner = lines === last + 1 ? 0 : cells.join('').split('\n').length - 1;
      [last, blank] = [lines, empty_lines];
      records.push(...recordOf(cells, header + lines - inner, columns));
      return null;
    },
    on_skip(error) {
      const line = header + Number(error?.lines);
      if (error?.code !== 'INVALID_OPENING_QUOTE')
        brokenAt ??= header + last + 1 + Number(error?.empty_lines ?? blank) - blank;
      else if (records.at(-1)?.line !== line) records.push({ line, problem: STRAY_QUOTE });
      return undefined;
    },
  });
  const parsed = (act: (done: () => void) => void) => new Promise<void>((resolve) => act(resolve));
  for await (const lines of readLines(file)) {
    // The parser counts CRLF within quotes twice, so all lines end in LF.
    const texts = lines.flatMap(({ line, text }) => (line > header ? [`${text}\n`] : []));
    await parsed((done) => parser.write(texts.join(''), done));
    if (brokenAt !== undefined) throw unclosed(brokenAt, file);
    yield records.splice(0);
  }
  await parsed((done) => parser.end(done));
  if (brokenAt !== undefined) throw unclosed(brokenAt, file);
  yield records;
}

function recordOf(cells: string[], line: number, { names }: CsvColumns): FileRecord[] {
  if (cells.length === 1 && names.length > 1 && cells[0]?.trim() === '') return [];
  if (cells.length !== names.length) {
    const problem = `it has ${cells.length} values, expected ${names.length}`;
    return [{ line, problem }];
  }
  return [{ line, values: Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])) }];
}

/**
 * Converts numeric text to a number: "12.5" and "10.00". "007", "1e5" and numbers beyond the safe range stay
 * text.
 */
export function numberOrText(value: unknown): unknown {
  const looksLikeOne = typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  return looksLikeOne && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
