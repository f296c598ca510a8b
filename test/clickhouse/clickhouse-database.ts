import { randomUUID } from 'node:crypto';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import type { Database } from '../functions/data-access/tables/databases.ts';

const TYPES: Readonly<Record<string, string>> = {
  text: 'Nullable(String)',
  varchar: 'LowCardinality(Nullable(String))',
  boolean: 'Nullable(Bool)',
  smallint: 'Nullable(Int16)',
  integer: 'Nullable(Int32)',
  real: 'Nullable(Float32)',
  timestamp: "DateTime64(3, 'Asia/Tokyo')",
  timestamptz: "Nullable(DateTime64(3, 'UTC'))",
  'text[]': 'Array(String)',
  json: 'String',
};

/** Runs a statement, which may have rows in its own format, and returns the answer. */
export async function runStatement(url: string, body: string): Promise<string> {
  const { username, password, origin, pathname } = new URL(url);
  const target = new URL(origin);
  if (pathname.length > 1) target.searchParams.set('database', pathname.slice(1));
  const answer = await fetch(target, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    body,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

/** Tables in ClickHouse, in a database of their own. */
export async function clickHouseDatabase(server: { url: string }): Promise<Database> {
  const name = `team_${randomUUID().replaceAll('-', '')}`;
  await runStatement(server.url, `create database ${name}`);
  const url = `${server.url}/${name}`;
  return {
    jsonType: 'json',
    async run(sql) {
      // A schema is a database of the server, which another file of tests may have left.
      const [, schema] = /^create schema (\w+)$/.exec(sql) ?? [];
      if (schema === undefined) return runStatement(url, sql);
      await runStatement(url, `drop database if exists ${schema}`);
      return runStatement(url, `create database ${schema}`);
    },
    async create(table, columns, rows) {
      const list = Object.entries(columns).map(
        ([column, type]) => `"${column}" ${TYPES[type] ?? unknown(type)}`,
      );
      await runStatement(
        url,
        `create table ${table} (${list.join(', ')}) engine = MergeTree order by tuple()`,
      );
      const texts = rows.map((row) => JSON.stringify(row));
      await runStatement(
        url,
        `insert into ${table} settings date_time_input_format = 'best_effort', input_format_json_read_objects_as_strings = 1 format JSONEachRow\n${texts.join('\n')}`,
      );
    },
    async open(apps) {
      const config = sqlTablesSchema.parse({ engine: 'clickhouse', urlSecret: 'url', apps });
      return openTables(config, { folder: '.', readSecret: async () => url });
    },
    async close() {
      await runStatement(server.url, `drop database ${name}`);
    },
  };
}

function unknown(type: string): never {
  throw new Error(`no column of the type ${type}`);
}
