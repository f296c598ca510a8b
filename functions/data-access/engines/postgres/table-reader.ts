import { firstCell, type ListingReader, SqlRejected } from '../table-reader.ts';
import { dayLiteral, type Kind, quotedText, standardLists, type TableDialect } from '../table-sql.ts';
import { POSTGRES_TYPES, type PostgresClient, rowsOf } from './engine.ts';
import { postgresFailure } from './failures.ts';

const CHECK_MS = 15_000;

/** Tables and views of all kinds, but no partitions, which their table has. */
const LIST_TABLES = `select nspname || '.' || relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition and nspname !~ '^(pg_|information_schema$)'
    and has_any_column_privilege(pg_class.oid, 'select') order by 1`;

const T = POSTGRES_TYPES;
const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [T.text, 'text'],
  [T.varchar, 'text'],
  [T.texts, 'texts'],
  [T.varchars, 'texts'],
  [T.boolean, 'boolean'],
  ...[T.bigint, T.smallint, T.integer, T.real, T.double, T.numeric].map((type) => [type, 'number'] as const),
  [T.json, 'json'],
  [T.jsonb, 'json'],
  [T.date, 'date'],
  [T.timestamp, 'timestamp'],
  [T.timestamptz, 'timestamptz'],
]);

/** Classes of SQLSTATE for a statement that is wrong: its values, its syntax, names or rights, or that it writes. */
const REJECTED = /^(22|25|42|0A|3F)/;

/** Reads the columns of tables in PostgreSQL. Throws `UpstreamError` if it cannot be reached. */
export function postgresReader(client: PostgresClient): ListingReader {
  const run = async (select: string) => {
    const { signal } = new AbortController();
    try {
      return await client.run(select, [], { signal, timeoutMs: CHECK_MS });
    } catch (error) {
      if (error instanceof Error && 'code' in error && REJECTED.test(String(error.code)))
        throw new SqlRejected(error.message.split('\n', 1)[0]);
      throw postgresFailure(error);
    }
  };
  return {
    engine: 'PostgreSQL',
    dialect: POSTGRES_TABLES,
    async describe(select) {
      const { columns } = await run(select);
      return columns.map(({ name, typeId }) => ({ name, kind: KINDS.get(typeId) ?? 'other' }));
    },
    tables: async () => rowsOf(await run(LIST_TABLES)).map((row) => String(row.name)),
    first: async (select) => firstCell(rowsOf(await run(select))),
  };
}

/** A function takes at most 100 arguments: the name and the value of each property. */
const MAX_PROPERTIES = 50;

const POSTGRES_TABLES: TableDialect = {
  textType: 'text',
  doubleType: 'double precision',
  ...standardLists('text[]'),
  millis: ({ sql, kind }) =>
    kind === 'number' ? `cast(${sql} as bigint)` : `cast(floor(extract(epoch from ${sql}) * 1000) as bigint)`,
  dayStart: dayLiteral,
  // A text is read as `json`, which keeps the spelling of nested values.
  json: ({ sql, kind }) => (kind === 'json' ? sql : `cast(${sql} as json)`),
  jsonObject: (properties) => {
    const objects = chunksOf(properties, MAX_PROPERTIES).map((chunk) => {
      const pairs = chunk.map(([name, { sql }]) => `${quotedText(name)}, ${sql}`);
      return `jsonb_build_object(${pairs.join(', ')})`;
    });
    return { sql: objects.length === 1 ? objects.join() : `(${objects.join(' || ')})`, kind: 'json' };
  },
  hash: (text) => `md5(${text})`,
  byCharacter: (text) => `${text} collate "C"`,
  firstOf: (list) => `${list}[1]`,
};

/** At least one chunk, so that no properties are one empty object. */
const chunksOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / size)) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
