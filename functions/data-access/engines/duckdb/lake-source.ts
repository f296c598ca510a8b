import type { TableName } from '../../../../shared/contract/tables.ts';
import type { TablePart, TableSource } from '../compiler.ts';
import type { Query } from '../query.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { DuckDbCompiler } from './compiler.ts';
import type { WithSource } from './engine.ts';
import { type FileCache, FileChanged, type StoredFile } from './file-cache.ts';

/** A published file with rows of one UTC day. */
export interface DayFile extends StoredFile {
  readonly day: string;
}

/** The files of an app. */
export interface AppFiles {
  /** The files of a table, sorted by key. */
  list(table: TableName): Promise<readonly DayFile[]>;
  /** The next `list` of the table asks the storage again. */
  relist(table: TableName): void;
}

type Days = NonNullable<TablePart['days']> | 'all';

/** An object can be replaced again after the second listing. */
const ATTEMPTS = 3;

/** Reads the tables of an app from local copies of its files. The instance has an empty table for each of them. */
export function lakeSource(files: AppFiles, cache: FileCache): WithSource {
  return async (query, signal, use) => {
    const parts = partsOf(query);
    for (let attempt = 1; ; attempt += 1) {
      const listed = new Map<TableName, readonly DayFile[]>();
      for (const table of parts.keys()) listed.set(table, await unlessAborted(files.list(table), signal));
      const wanted = [...parts].flatMap(([table, spans]) =>
        (listed.get(table) ?? []).filter(({ day }) => spans.some((days) => isIn(days, day))),
      );
      // Errors of `use` must not repeat it.
      let isUsed = false;
      try {
        return await cache.withFiles(wanted, signal, (pathOf) => {
          isUsed = true;
          return use(sourceOf(listed, pathOf));
        });
      } catch (error) {
        if (isUsed || !(error instanceof FileChanged) || attempt === ATTEMPTS) throw error;
        for (const table of parts.keys()) files.relist(table);
      }
    }
  };
}

/** The tables that a query reads, and the days of each. */
function partsOf(query: Query): ReadonlyMap<TableName, readonly Days[]> {
  const parts = new Map<TableName, Days[]>();
  const note: TableSource = (table, { days }) => {
    parts.set(table, [...(parts.get(table) ?? []), days ?? 'all']);
    return `select * from ${table}`;
  };
  new DuckDbCompiler(note).compile(query);
  return parts;
}

const isIn = (days: Days, day: string): boolean => days === 'all' || (day >= days[0] && day <= days[1]);

const sourceOf =
  (listed: ReadonlyMap<TableName, readonly DayFile[]>, pathOf: (file: StoredFile) => string): TableSource =>
  (table, { days }) => {
    const files = (listed.get(table) ?? []).filter(({ day }) => isIn(days ?? 'all', day));
    if (files.length === 0) return `select * from ${table}`;
    const paths = files.map((file) => `'${pathOf(file).replaceAll("'", "''")}'`);
    return `select * from read_parquet([${paths.join(', ')}])`;
  };
