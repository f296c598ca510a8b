import { ConfigError } from '../../../shared/runtime/errors.ts';
import type { ListingReader } from '../engines/table-reader.ts';

export interface OpenReader extends AsyncDisposable {
  readonly engine: 'postgres' | 'clickhouse';
  readonly reader: ListingReader;
}

/**
 * Connects to the server of a URL, to look at its tables.
 * @throws ConfigError for a URL of another kind.
 */
export async function openReader(url: string): Promise<OpenReader> {
  const { protocol } = URL.parse(url) ?? {};
  switch (protocol) {
    case 'postgres:':
    case 'postgresql:': {
      const { connectPostgres } = await import('../engines/postgres/client.ts');
      const { postgresReader } = await import('../engines/postgres/table-reader.ts');
      const client = await connectPostgres({ url, connections: 1 });
      return { engine: 'postgres', reader: postgresReader(client), [Symbol.asyncDispose]: client.close };
    }
    case 'clickhouse:':
    case 'https:':
    case 'http:': {
      const { connectClickHouse } = await import('../engines/clickhouse/client.ts');
      const { clickHouseReader } = await import('../engines/clickhouse/table-reader.ts');
      const client = await connectClickHouse({ url, connections: 1 });
      return { engine: 'clickhouse', reader: clickHouseReader(client), [Symbol.asyncDispose]: client.close };
    }
    default:
      throw new ConfigError(
        'the URL of the database must have the form postgres://user:password@host:5432/database or clickhouse://user:password@host:8443/database',
      );
  }
}
