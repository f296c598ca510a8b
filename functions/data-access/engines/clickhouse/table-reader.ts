import { firstCell, type ListingReader, SqlRejected } from '../table-reader.ts';
import { dayStarts, type Kind, quotedText, type TableDialect } from '../table-sql.ts';
import { type ClickHouse, rowsOf } from './engine.ts';
import { clickHouseFailure } from './failures.ts';

const CHECK_MS = 15_000;

/** Of the database in the URL; without one, of all. */
const LIST_TABLES = `select database || '.' || name as name from system.tables
  where database = currentDatabase()
    or currentDatabase() = 'default' and lower(database) not in ('information_schema', 'system') order by 1`;

const KINDS: readonly [type: RegExp, kind: Kind][] = [
  [/^Array\((LowCardinality\()?(Nullable\()?String/, 'texts'],
  // A FixedString ends with zeros, which only a cast takes away.
  [/^(String|Enum|UUID)/, 'text'],
  [/^(U?Int|Float|BFloat|Decimal)/, 'number'],
  [/^Bool/, 'boolean'],
  [/^(JSON|Map|Tuple|Object)/, 'json'],
  [/^DateTime/, 'timestamptz'],
  [/^Date/, 'date'],
];

export const kindOf = (type: string): Kind => {
  const bare = type.replace(/^LowCardinality\(/, '').replace(/^Nullable\(/, '');
  return KINDS.find(([pattern]) => pattern.test(bare))?.[1] ?? 'other';
};

/** Codes for a server that is reached, but cannot answer now, or does not accept the user or the settings. */
const NOT_REJECTED = ['115', '159', '164', '193', '194', '202', '209', '210', '241', '516'];

/** Reads the columns of tables in ClickHouse. Throws `UpstreamError` if it cannot be reached. */
export function clickHouseReader(client: ClickHouse): ListingReader {
  const run = async (select: string) => {
    const { signal } = new AbortController();
    try {
      return await client.run(select, { signal, timeoutMs: CHECK_MS });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (error instanceof Error && /^\d+$/.test(code) && !NOT_REJECTED.includes(code))
        throw new SqlRejected(error.message.split('\n', 1)[0]);
      throw clickHouseFailure(error);
    }
  };
  return {
    engine: 'ClickHouse',
    dialect: CLICKHOUSE_TABLES,
    async describe(select) {
      const { columns } = await run(select);
      return columns.map(({ name, type }) => ({ name, kind: kindOf(type) }));
    },
    tables: async () => rowsOf(await run(LIST_TABLES)).map((row) => String(row.name)),
    first: async (select) => firstCell(rowsOf(await run(select))),
  };
}

export const CLICKHOUSE_TABLES: TableDialect = {
  // Without Nullable, a value that is missing is an empty text or 0.
  textType: 'Nullable(String)',
  doubleType: 'Nullable(Float64)',
  wholeType: 'bigint',
  textsType: 'Array(String)',
  noTexts: 'emptyArrayString()',
  text: (sql) => `nullIf(toString(${sql}), '')`,
  millis: ({ sql, kind }) =>
    kind === 'number'
      ? `cast(${sql} as Nullable(Int64))`
      : `toNullable(toUnixTimestamp64Milli(toDateTime64(${sql}, 3, 'UTC')))`,
  dayStart: dayStarts((date) => `toDateTime64('${date} 00:00:00', 3, 'UTC')`),
  json: ({ sql, kind }) => (kind === 'json' ? `toJSONString(${sql})` : sql),
  jsonObject: (properties) => {
    const entries = properties.map(([name, { sql }], at) => {
      const start = `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      return `${quotedText(start.replaceAll('\\', '\\\\'))}, toJSONString(${sql})`;
    });
    return { sql: `concat(${entries.join(', ')}, '}')`, kind: 'text' };
  },
  hash: (text) => `lower(hex(MD5(${text})))`,
  byCharacter: (text) => text,
  firstOf: (list) => `if(empty(${list}), null, ${list}[1])`,
  firstValue: (value, over) => `first_value_respect_nulls(${value}) ${over}`,
  listOf: (value, { where, order }) =>
    `arrayMap(item -> assumeNotNull(item.${order.length + 1}), arraySort(groupArrayIf((${[...order, value].join(', ')}), ${where})))`,
};
