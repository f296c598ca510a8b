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
/** A longer quoted value counts as one with a missing closing quote. */
const MAX_VALUE_LINES = 1000;

const UNCLOSED = 'a quoted value is not closed: close it, and double each quote inside it';
const STRAY_QUOTE = 'a quoted value has text after its closing quote: double each quote inside it';

/** Reads the header: the first line that is not blank. Throws `ConfigError` if it is missing or invalid. */
export async function csvColumns(file: string): Promise<CsvColumns> {
  for await (const lines of readLines(file)) {
    const header = lines.find(({ text }) => text.trim() !== '');
    if (header) return columnsOf(header, file);
  }
  throw new ConfigError(`${file} is empty: its first line must name the columns`);
}

function columnsOf({ line, text }: Line, file: string): CsvColumns {
  const unquoted = text.replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const names = splitRecord(text, delimiter);
  if (typeof names === 'string')
    throw new ConfigError(`Line ${line} of ${file} must name the columns, but ${names}`);
  const unusable = names.find((name, i) => name.trim() === '' || names.indexOf(name) < i);
  if (unusable !== undefined)
    throw new ConfigError(
      `Line ${line} of ${file} must name each column once: "${unusable}" is empty or repeated`,
    );
  return { names, delimiter, line };
}

/**
 * Reads the records of a CSV file (RFC 4180). `line` is the first line of a record. After a quote that is never closed,
 * CSV libraries lose the rest of the file; this reader reports the line and continues with the next one.
 */
export async function* readCsv(file: string, columns: CsvColumns): AsyncGenerator<FileRecord[]> {
  const reader = new CsvReader(columns);
  for await (const lines of readLines(file))
    yield reader.read(lines.filter(({ line }) => line > columns.line));
  yield reader.end();
}

class CsvReader {
  readonly #columns: CsvColumns;
  /** The lines of a record with an open quote. */
  #open: Line[] = [];

  constructor(columns: CsvColumns) {
    this.#columns = columns;
  }

  read(lines: readonly Line[]): FileRecord[] {
    const records: FileRecord[] = [];
    const ahead = [...lines].reverse();
    for (let line = ahead.pop(); line; line = ahead.pop()) {
      const outcome = this.#add(line);
      if (outcome === UNCLOSED || outcome === STRAY_QUOTE) {
        const [first, ...others] = this.#open;
        this.#open = [];
        if (first) records.push({ line: first.line, problem: outcome });
        ahead.push(...others.reverse());
      } else if (outcome !== 'continue') records.push(outcome);
    }
    return records;
  }

  end(): FileRecord[] {
    const records: FileRecord[] = [];
    for (let [first, ...others] = this.#open; first; [first, ...others] = this.#open) {
      this.#open = [];
      records.push({ line: first.line, problem: UNCLOSED }, ...this.read(others));
    }
    return records;
  }

  #add(line: Line): FileRecord | 'continue' | typeof UNCLOSED | typeof STRAY_QUOTE {
    if (this.#open.length === 0 && line.text.trim() === '') return 'continue';
    this.#open.push(line);
    const mayClose = this.#open.length === 1 || line.text.includes('"');
    const split = mayClose
      ? splitRecord(this.#open.map(({ text }) => text).join('\n'), this.#columns.delimiter)
      : UNCLOSED;
    if (split === UNCLOSED) return this.#open.length > MAX_VALUE_LINES ? UNCLOSED : 'continue';
    if (split === STRAY_QUOTE) return STRAY_QUOTE;
    const [first = line] = this.#open;
    this.#open = [];
    return { line: first.line, ...this.#named(split) };
  }

  #named(cells: readonly string[]): { values: Record<string, string> } | { problem: string } {
    const { names } = this.#columns;
    if (cells.length !== names.length)
      return { problem: `it has ${cells.length} values, expected ${names.length}` };
    return { values: Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])) };
  }
}

/**
 * Converts numeric text to a number: "12.5" and "10.00". "007", "1e5" and numbers beyond the safe range stay
 * text.
 */
export function numberOrText(value: unknown): unknown {
  const looksLikeOne = typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  return looksLikeOne && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** Returns the values of a record. `UNCLOSED`: the record may continue in the next line. */
function splitRecord(text: string, delimiter: string): string[] | typeof UNCLOSED | typeof STRAY_QUOTE {
  if (!text.includes('"')) return text.split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    const quoted = text[at] === '"' ? quotedValue(text, at) : undefined;
    if (text[at] === '"' && !quoted) return UNCLOSED;
    const endAt = quoted?.endAt ?? orLength(text.indexOf(delimiter, at), text);
    cells.push(quoted?.value ?? text.slice(at, endAt));
    if (endAt === text.length) return cells;
    if (text[endAt] !== delimiter) return STRAY_QUOTE;
    at = endAt;
  }
}

/** Reads the value whose opening quote is at `at`. */
function quotedValue(text: string, at: number): { value: string; endAt: number } | undefined {
  let endAt = text.indexOf('"', at + 1);
  while (endAt >= 0 && text[endAt + 1] === '"') endAt = text.indexOf('"', endAt + 2);
  if (endAt < 0) return undefined;
  return { value: text.slice(at + 1, endAt).replaceAll('""', '"'), endAt: endAt + 1 };
}

function orLength(index: number, text: string): number {
  return index < 0 ? text.length : index;
}
