import { type ClickHouse, rowsOf } from '../clickhouse/engine.ts';
import { CLICKHOUSE_TABLES, kindOf } from '../clickhouse/table-reader.ts';
import { firstCell, type TableReader } from '../table-reader.ts';
import { dayStarts, type TableDialect } from '../table-sql.ts';

const CHECK_MS = 30_000;

/** Reads the columns of the tables of a project. Throws `UpstreamError` if PostHog cannot be reached. */
export function postHogReader(client: ClickHouse): TableReader {
  const run = (select: string) =>
    client.run(select, { signal: new AbortController().signal, timeoutMs: CHECK_MS });
  return {
    engine: 'PostHog',
    dialect: HOGQL_TABLES,
    describe: async (select) =>
      (await run(select)).columns.map(({ name, type }) => ({ name, kind: kindOf(type) })),
    first: async (select) => firstCell(rowsOf(await run(select))),
  };
}

const HOGQL_TABLES: TableDialect = {
  ...CLICKHOUSE_TABLES,
  textType: 'string',
  doubleType: 'float',
  wholeType: 'integer',
  millis: ({ sql }) => `toNullable(toUnixTimestamp64Milli(${sql}))`,
  dayStart: dayStarts((date) => `fromUnixTimestamp(${Date.parse(date) / 1000})`),
  firstValue: (value, over) => `arrayElement(first_value(array(${value})) ${over}, 1)`,
};
