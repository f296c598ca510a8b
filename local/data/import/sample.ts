import { isEmpty } from './field-picker.ts';
import { type FileFormat, isObject, openRecords } from './records.ts';

/** The first records of a file, to guess a mapping from. */
export interface Sample {
  /** Number of valid records. */
  records: number;
  columns: readonly SampledColumn[];
  /** The first records, with their line numbers. */
  first: readonly { line: number; values: Record<string, unknown> }[];
}

export interface SampledColumn {
  /** Column name, or path of a nested value: `context.os.name`. */
  name: string;
  isNested: boolean;
  /** Values in file order, without empty ones. */
  values: readonly unknown[];
}

const MOST_RECORDS = 1000;
const FIRST = 3;
const DEEPEST = 3;
/** Limits the columns of objects whose keys are ids. */
const MOST_COLUMNS = 1000;

/** Reads the first records of `file`. Throws `ConfigError` if it cannot be read as `format`. */
export async function sampleOf(file: string, format: FileFormat): Promise<Sample> {
  const { columns, records } = await openRecords(file, format);
  const gathered = new Map<string, { isNested: boolean; values: unknown[] }>(
    columns?.map((name) => [name, { isNested: false, values: [] }]),
  );
  const first: { line: number; values: Record<string, unknown> }[] = [];
  let read = 0;
  for await (const batch of records) {
    for (const record of batch.slice(0, MOST_RECORDS - read)) {
      if ('problem' in record) continue;
      read += 1;
      if (first.length < FIRST) first.push(record);
      gather(gathered, record.values, []);
    }
    if (read >= MOST_RECORDS) break;
  }
  return { records: read, first, columns: [...gathered].map(([name, each]) => ({ name, ...each })) };
}

function gather(
  gathered: Map<string, { isNested: boolean; values: unknown[] }>,
  values: Record<string, unknown>,
  path: readonly string[],
): void {
  for (const [key, value] of Object.entries(values)) {
    const name = [...path, key].join('.');
    const isNested = path.length > 0;
    // A nested key with dots would look like a path.
    if (isEmpty(value) || (isNested && key.includes('.'))) continue;
    const column = gathered.get(name) ?? { isNested, values: [] };
    if (!gathered.has(name) && gathered.size >= MOST_COLUMNS) continue;
    gathered.set(name, column);
    column.values.push(value);
    if (isObject(value) && path.length + 1 < DEEPEST) gather(gathered, value, [...path, key]);
  }
}
