import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { quoted } from '../../shared/text/quoted.ts';
import type { Row } from './buckets.ts';
import { type RowTimes, TIME_FORMS } from './row-times.ts';

/** How to read a file. */
interface Format {
  /** Name of the file in errors. */
  name: string;
  times: RowTimes;
}

/** A longer row probably has an unclosed quote. */
const MAX_ROW_BYTES = 65_536;

/** Spellings of a missing value. */
const EMPTY = /^(|null|none|na|n\/a|nan|-)$/i;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Streams the rows of a CSV file. Throws `ConfigError` with the file, the line and a correction for an invalid
 * row, and for one earlier than the row before it.
 */
export async function* csvRows(source: Readable, format: Format): AsyncGenerator<Row> {
  const parser = parse({
    ...{ bom: true, trim: true, skip_empty_lines: true, relax_column_count: true },
    ...{ info: true, max_record_size: MAX_ROW_BYTES, record_delimiter: ['\r\n', '\n', '\r'] },
  });
  // A reader that stops early ends the source; an error of the source ends the reader.
  pipeline(source, parser).catch(() => {});
  let columns: Columns | undefined;
  let last = { at: -Infinity, line: 0 };
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const isFirst = columns === undefined;
      columns ??= columnsOf(record, format);
      if (isFirst && columns.hasHeader) continue;
      const row = rowOf(record, info.lines, columns, format);
      if (row.at < last.at)
        throw problem(format, info.lines, `is earlier than line ${last.line}: sort the file by its times`);
      last = { at: row.at, line: info.lines };
      yield row;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number(error.lines ?? 1);
    throw problem(format, line, 'is not valid CSV: close quotes, and double them inside quotes');
  }
}

/** A parsed row with its line. */
interface Parsed {
  record: string[];
  info: { lines: number };
}

type Columns = ReturnType<typeof columnsOf>;

/** The columns named timestamp and value; otherwise the first two. */
function columnsOf(first: string[], { times }: Format) {
  const hasHeader = times.read(first[0] ?? '') === undefined;
  const names = first.map((name) => name.toLowerCase());
  const timestamp = Math.max(0, names.indexOf('timestamp'));
  const named = names.indexOf('value');
  return { timestamp, value: named >= 0 ? named : timestamp === 1 ? 0 : 1, width: first.length, hasHeader };
}

function rowOf(cells: string[], line: number, columns: Columns, format: Format): Row {
  const [time = '', text] = [cells[columns.timestamp], cells[columns.value]];
  const at = format.times.read(time);
  const wrong = (message: string) => problem(format, line, message);
  if (at === undefined) throw wrong(`has an invalid time, "${quoted(time)}": use ${TIME_FORMS}`);
  const { width } = columns;
  if (cells.length > width)
    throw wrong(
      `has ${cells.length} fields and the first line ${width}: use a decimal point, such as 1234.5`,
    );
  if (text === undefined) throw wrong('has no value: a line has a time, a comma and a number');
  if (EMPTY.test(text)) return { at, value: null };
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value))
    throw wrong(
      `has an invalid number, "${quoted(text)}": use a number such as 1234.5, or nothing for a gap`,
    );
  if (value < 0) throw wrong(`has ${text}: values must be 0 or more`);
  return { at, value };
}

function problem({ name }: Format, line: number, message: string): ConfigError {
  return new ConfigError(`${name}:${line} ${message}`);
}
