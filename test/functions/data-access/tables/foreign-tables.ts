import type { SqlTablesInput } from '../../../../shared/config/sql-tables.ts';
import { GIVEN, type RowType } from '../../../../shared/contract/tables.ts';
import { rowsOf } from '../../../oracle/agreement.ts';
import type { World } from '../../../oracle/rows.ts';

/** Creates a table with `columns` as SQL and fills it with `rows`. */
export type CreateTable = (
  name: string,
  columns: Readonly<Record<string, string>>,
  rows: readonly object[],
) => Promise<void>;

const TYPES: Readonly<Record<RowType, string>> = {
  text: 'text',
  'text?': 'varchar',
  integer: 'integer',
  'integer?': 'smallint',
  double: 'real',
  boolean: 'boolean',
  millis: 'timestamptz',
  texts: 'text[]',
};

const TABLES = { events: 'Ereignisse', sessions: 'besuche', screen_visits: 'seiten' } as const;
type Name = keyof typeof TABLES;
const NAMES = Object.keys(TABLES) as Name[];

/** The columns of a team have names of their own, one in capitals. */
const nameOf = (column: string): string => (column === 'recorded_at' ? 'Zeit' : `x_${column}`);
const typeOf = (column: string, type: RowType): string =>
  column.endsWith('properties') ? 'json' : TYPES[type];

/** Creates the tables of a world in a schema. */
export async function createForeign(create: CreateTable, schema: string, world: World): Promise<void> {
  const { sessions = [], events = [], visits = [] } = rowsOf(world);
  const rows = { events, sessions, screen_visits: visits };
  for (const name of NAMES) {
    const columns = Object.entries(GIVEN[name]).map(([column, type]) => [
      nameOf(column),
      typeOf(column, type),
    ]);
    const own = rows[name].map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [nameOf(column), value])),
    );
    await create(`${schema}."${TABLES[name]}"`, Object.fromEntries(columns), own);
  }
}

const mappingOf = (name: Name, schema: string) => ({
  table: `${schema}.${TABLES[name]}`,
  columns: Object.fromEntries(Object.keys(GIVEN[name]).map((column) => [column, nameOf(column)])),
});

/** Maps all tables of a world. */
export const foreignApp = (schema: string, zone: string): SqlTablesInput['apps'][string] => ({
  zone,
  dashboardUrl: 'https://dash.example',
  events: mappingOf('events', schema),
  sessions: mappingOf('sessions', schema),
  screen_visits: mappingOf('screen_visits', schema),
});
