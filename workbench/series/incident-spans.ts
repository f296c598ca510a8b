import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Window } from '../../shared/time/window.ts';
import { type RowTimes, TIME_FORMS } from './row-times.ts';

/**
 * The spans of a CSV file of `start,end`, oldest first. A date means the start of its day. Throws
 * `ConfigError` with the invalid row.
 */
export function incidentSpans(text: string, { name, times }: { name: string; times: RowTimes }): Window[] {
  const rows = readCells(text, name);
  const spans = rows.flatMap(([start = '', end = ''], i) => {
    const [startAt, endAt] = [times.read(start), times.read(end)];
    if (startAt !== undefined && endAt !== undefined && startAt < endAt) return [{ startAt, endAt }];
    if (i === 0 && startAt === undefined && endAt === undefined) return [];
    throw new ConfigError(`${name}: row ${i + 1} is not a time span: write start,end, each as ${TIME_FORMS}`);
  });
  return spans.toSorted((a, b) => a.startAt - b.startAt);
}

function readCells(text: string, name: string): string[][] {
  try {
    return parse(text, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    if (error instanceof CsvError) throw new ConfigError(`${name} is not valid CSV: ${error.message}`);
    throw error;
  }
}
