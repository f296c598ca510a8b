import { ConfigError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { httpUrl } from '../http-url.ts';
import type { RunOptions, ServerSettings } from '../server-engine.ts';
import { abortAfter, slots, slotWithin } from '../slots.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { ClickHouse, ClickHouseRows } from './engine.ts';

/** The server has this time to report that it stopped a statement at its limit. */
const GRACE_MS = 5_000;

/** Settings that give the SQL of `compiler.ts` its standard meaning. Those of the server and the user may differ. */
export const MEANING = {
  aggregate_functions_null_for_empty: 1,
  // The faster parser takes a number beyond 64 bits for a text.
  allow_simdjson: 0,
  // Columns that are computed can be mapped too.
  asterisk_include_alias_columns: 1,
  asterisk_include_materialized_columns: 1,
  cast_keep_nullable: 1,
  count_distinct_implementation: 'uniqExact',
  join_use_nulls: 1,
  prefer_column_name_to_alias: 1,
  session_timezone: 'UTC',
  transform_null_in: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
} as const;

/**
 * At most `connections` statements run at a time; others wait.
 * @throws ConfigError if the package `@clickhouse/client` is not installed, or the URL is not one of its HTTP interface.
 */
export async function connectClickHouse(
  { url, connections, keepsIdle = true }: ServerSettings,
  graceMs: number = GRACE_MS,
): Promise<ClickHouse> {
  // A bundle has no names of a CommonJS package, only its whole.
  const { ClickHouseLogLevel, createClient } = (await import('@clickhouse/client')).default;
  const client = createClient({
    url: interfaceAt(url),
    application: 'deltawatch',
    max_open_connections: connections,
    keep_alive: { enabled: keepsIdle },
    // Each statement has a limit of its own.
    request_timeout: 0x7fff_ffff,
    // Its messages contain SQL.
    log: { level: ClickHouseLogLevel.OFF },
  });
  const slot = slots(connections);
  return {
    async run(sql: string, options: RunOptions): Promise<ClickHouseRows> {
      const endsAt = performance.now() + options.timeoutMs;
      const release = await slotWithin(slot, options);
      try {
        options.onTurn?.();
        const leftMs = endsAt - performance.now();
        using late = abortAfter(
          leftMs + graceMs,
          () => new UpstreamError('ClickHouse did not answer in time', { retryable: true }),
        );
        const stop = AbortSignal.any([options.signal, late.signal]);
        const asked = client.query({
          query: sql,
          format: 'JSONCompact',
          abort_signal: stop,
          clickhouse_settings: {
            ...MEANING,
            // A user whose profile has 2 may not change it to 1.
            readonly: '2',
            // A limit of 0 would be none.
            max_execution_time: Math.max(0.001, leftMs / 1000),
            cancel_http_readonly_queries_on_client_close: 1,
            // The status then tells of a failure in the middle of the rows.
            wait_end_of_query: 1,
          },
        });
        const answered = asked.then((result) => result.json<unknown[]>());
        const { meta = [], data, statistics } = await unlessAborted(answered, stop);
        return { columns: meta, rows: data, ...(statistics && { bytesScanned: statistics.bytes_read }) };
      } finally {
        release();
      }
    },
    close: () => client.close(),
  };
}

/** Of the HTTP interface, which `clickhouse://` means too. */
function interfaceAt(url: string): URL {
  const found = httpUrl(url.replace(/^clickhouse:/, 'https:'));
  // The client knows few parameters, and quotes others.
  if (found?.search === '') {
    if (url.startsWith('clickhouse:') && found.port === '') found.port = '8443';
    return found;
  }
  throw new ConfigError(
    'the URL of ClickHouse must have the form clickhouse://user:password@host:8443/database, with the port of its HTTPS interface, no parameters, and %25 for "%"',
  );
}
