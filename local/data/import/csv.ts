import { ConfigError } from '../../../shared/runtime/errors.ts';
import type { FileRecord } from './file-record.ts';
import { type Line, readLines } from './lines.ts';

export interface CsvColumns {
  names: readonly string[];
  delimiter: string;
  /** The line that names them; the records come after it. */
  line: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** A quoted value with more lines than this is taken for one whose closing quote is missing. */
const MOST_LINES = 1000;

/** What the first line that is not blank names. Throws `ConfigError` where it cannot name columns. */
export async function csvColumns(file: string): Promise<CsvColumns> {
  for await (const lines of readLines(file)) {
    const header = lines.find(({ text }) => text.trim() !== '');
    if (header) return columnsOf(header, file);
  }
  throw new ConfigError(`${file} is empty; its first line should name the columns`);
}

function columnsOf({ line, text }: Line, file: string): CsvColumns {
  const counts = DELIMITERS.map((delimiter) => text.split(delimiter).length);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
  const names = splitRecord(text, delimiter);
  if (typeof names === 'string')
    throw new ConfigError(`Line ${line} of ${file} should name the columns: ${names}`);
  const unusable = names.find((name, i) => name.trim() === '' || names.indexOf(name) < i);
  if (unusable !== undefined)
    throw new ConfigError(
      `Line ${line} of ${file} should name each column once; "${unusable}" is empty or repeated`,
    );
  return { names, delimiter, line };
}

/**
 * The records of a CSV file (RFC 4180) with the lines on which they begin. A reader that trusts quotes swallows
 * every line after one that is never closed; this one gives up that line and takes the others up again.
 */
export async function* readCsv(file: string, columns: CsvColumns): AsyncGenerator<FileRecord[]> {
  const reader = new CsvReader(columns);
  for await (const lines of readLines(file))
    yield reader.read(lines.filter(({ line }) => line > columns.line));
  yield reader.end();
}

class CsvReader {
  readonly #columns: CsvColumns;
  /** The lines of a record in which a quote is still open. */
  #held: Line[] = [];

  constructor(columns: CsvColumns) {
    this.#columns = columns;
  }

  read(lines: readonly Line[]): FileRecord[] {
    const records: FileRecord[] = [];
    const ahead = [...lines].reverse();
    for (let line = ahead.pop(); line; line = ahead.pop()) {
      const outcome = this.#take(line);
      if (outcome === 'give up') {
        const [first, ...others] = this.#held;
        this.#held = [];
        if (first) records.push({ line: first.line, problem: UNCLOSED });
        ahead.push(...others.reverse());
      } else if (outcome !== 'go on') records.push(outcome);
    }
    return records;
  }

  end(): FileRecord[] {
    const records: FileRecord[] = [];
    for (let [first, ...others] = this.#held; first; [first, ...others] = this.#held) {
      this.#held = [];
      records.push({ line: first.line, problem: UNCLOSED }, ...this.read(others));
    }
    return records;
  }

  #take(line: Line): FileRecord | 'go on' | 'give up' {
    if (this.#held.length === 0 && line.text.trim() === '') return 'go on';
    this.#held.push(line);
    const couldClose = this.#held.length === 1 || line.text.includes('"');
    const split = couldClose
      ? splitRecord(this.#held.map(({ text }) => text).join('\n'), this.#columns.delimiter)
      : UNCLOSED;
    if (split === UNCLOSED) return this.#held.length > MOST_LINES ? 'give up' : 'go on';
    if (split === STRAY_QUOTE) return 'give up';
    const [first = line] = this.#held;
    this.#held = [];
    return { line: first.line, ...this.#named(split) };
  }

  #named(cells: readonly string[]): { values: Record<string, string> } | { problem: string } {
    const { names } = this.#columns;
    if (cells.length !== names.length)
      return { problem: `it has ${cells.length} values, and the first line names ${names.length} columns` };
    return { values: Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])) };
  }
}

/**
 * A property as the number it looks like: "12.5" and "10.00" are numbers; "007", "1e5" and digits beyond exact numbers
 * stay text.
 */
export function numberOrText(value: unknown): unknown {
  const looksLikeOne = typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value);
  return looksLikeOne && Math.abs(Number(value)) <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

const UNCLOSED = 'a quoted value in it is not closed properly';
const STRAY_QUOTE = 'a quoted value in it goes on after its closing quote';

/** The values of one record; `UNCLOSED` where it may go on in the next line. */
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

/** The value whose opening quote is at `at`, doubled quotes in it made one. */
function quotedValue(text: string, at: number): { value: string; endAt: number } | undefined {
  let endAt = text.indexOf('"', at + 1);
  while (endAt >= 0 && text[endAt + 1] === '"') endAt = text.indexOf('"', endAt + 2);
  if (endAt < 0) return undefined;
  return { value: text.slice(at + 1, endAt).replaceAll('""', '"'), endAt: endAt + 1 };
}

function orLength(index: number, text: string): number {
  return index < 0 ? text.length : index;
}
