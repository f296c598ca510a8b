import { type ColumnType, GIVEN } from '../../../../shared/analytics/tables.ts';
import type { SqlApp } from '../../../../shared/config/sql-tables.ts';
import { rowsOf } from '../../../oracle/agreement.ts';
import type { World } from '../../../oracle/rows.ts';

/** Runs one statement with the rows of a table as JSON in `$1`. */
export type Fill = (sql: string, rows?: string) => Promise<unknown>;

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  'text?': 'varchar(200)',
  integer: 'integer',
  'integer?': 'smallint',
  double: 'real',
  boolean: 'boolean',
  millis: 'timestamptz',
  texts: 'text[]',
};

const TABLES = { events: 'Ereignisse', sessions: 'besuche', screen_visits: 'seiten' } as const;
type Name = keyof typeof TABLES;

/** The columns of a team have names of their own, one in capitals. */
const nameOf = (column: string): string => (column === 'recorded_at' ? 'Zeit' : `x_${column}`);
const typeOf = (column: string, type: ColumnType): string =>
  column.endsWith('properties') ? 'json' : TYPES[type];

/** Creates the tables of a world in a schema of PostgreSQL. */
export async function fillForeign(fill: Fill, schema: string, world: World): Promise<void> {
  await fill(`create schema ${schema}`);
  const { sessions = [], events = [], visits = [] } = rowsOf(world);
  const rows = { events, sessions, screen_visits: visits };
  for (const [name, table] of Object.entries(TABLES) as [Name, string][]) {
    const columns = Object.entries(GIVEN[name]).map(
      ([column, type]) => `"${nameOf(column)}" ${typeOf(column, type)}`,
    );
    await fill(`create table ${schema}."${table}" (${columns.join(', ')})`);
    const own = rows[name].map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [nameOf(column), value])),
    );
    await fill(
      `insert into ${schema}."${table}" select * from jsonb_to_recordset($1::jsonb) as r(${columns.join(', ')})`,
      JSON.stringify(own),
    );
  }
}

const mappingOf = (name: Name, schema: string) => ({
  table: `${schema}.${TABLES[name]}`,
  columns: Object.fromEntries(Object.keys(GIVEN[name]).map((column) => [column, nameOf(column)])),
});

/** Maps all tables of a world. */
export const foreignApp = (schema: string, zone: string, dashboardUrl: string): SqlApp => ({
  zone,
  dashboardUrl,
  events: mappingOf('events', schema),
  sessions: mappingOf('sessions', schema),
  screen_visits: mappingOf('screen_visits', schema),
});
