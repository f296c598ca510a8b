import { sql } from 'kysely';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { CLICKHOUSE, ClickHouseCompiler } from '../clickhouse/compiler.ts';
import { type ClickHouse, rowsOf } from '../clickhouse/engine.ts';
import type { TableSource } from '../compiler.ts';
import type { Engine } from '../engine.ts';
import { serverEngine } from '../server-engine.ts';
import { SqlRejected } from '../table-reader.ts';
import { MOST_ROWS } from './client.ts';

/** HogQL is the SQL of ClickHouse, with a part of its functions. */
const HOGQL: typeof CLICKHOUSE = {
  ...CLICKHOUSE,
  // A time read as UTC, less the days of its month.
  month_start: (local) => sql`((intDiv(${local}, ${DAY_MS}) + 1
    - toDayOfMonth(toTimeZone(fromUnixTimestamp(intDiv(${local}, 1000)), 'UTC'))) * ${DAY_MS})`,
  whole_part: (number) => sql`toInt(trunc(${number}))`,
  whole_sum: (whole) => sql`sum(${whole} * reinterpretAsInt128(1))`,
  whole_mean: (whole) => sql`(sum(${whole} * reinterpretAsInt128(1)) / count(${whole}))`,
  // Exact up to 8,192 numbers.
  percentile: (number, share) => sql`quantile(${share})(${number})`,
  as_double: (number) => sql`(${number} / 1)`,
};

/** The engine of one request. Disposing stops all queries that still run. */
export const postHogEngine = (
  client: ClickHouse,
  source: TableSource,
  timeoutMs: number,
): Engine & AsyncDisposable =>
  serverEngine(timeoutMs, async (query, options) => {
    const { sql: text } = new ClickHouseCompiler(source, HOGQL).compile(query);
    // Without a limit, PostHog returns 100 rows.
    const limited = /limit \d+( offset \d+)?$/.test(text) ? text : `${text} limit ${MOST_ROWS}`;
    return { rows: rowsOf(await client.run(limited, options).catch(throwFailure)) };
  });

/** What PostHog says of a query quotes it. */
function throwFailure(error: unknown): never {
  if (!(error instanceof SqlRejected)) throw error;
  throw new UpstreamError('PostHog rejected the query', { retryable: false });
}
