import { isEmpty } from './field-picker.ts';
import { type FileFormat, isObject, openRecords } from './records.ts';

/** The beginning of a file: enough to see what its columns hold. */
export interface Sample {
  /** Records that could be read. */
  records: number;
  columns: readonly SampledColumn[];
  /** The first records with the lines on which they are. */
  first: readonly { line: number; values: Record<string, unknown> }[];
}

export interface SampledColumn {
  /** The path of one that lies within another: `context.os.name`. */
  name: string;
  isNested: boolean;
  /** Its values in the order of the file, without those that are empty. */
  values: readonly unknown[];
}

const MOST_RECORDS = 1000;
const FIRST = 3;
const DEEPEST = 3;
/** Objects whose keys are ids have no end of columns. */
const MOST_COLUMNS = 1000;

/** Reads the beginning of `file`. Throws `ConfigError` where it cannot be read as `format`. */
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
    // A key with dots could not be told from a path.
    if (isEmpty(value) || (isNested && key.includes('.'))) continue;
    const column = gathered.get(name) ?? { isNested, values: [] };
    if (!gathered.has(name) && gathered.size >= MOST_COLUMNS) continue;
    gathered.set(name, column);
    column.values.push(value);
    if (isObject(value) && path.length + 1 < DEEPEST) gather(gathered, value, [...path, key]);
  }
}
