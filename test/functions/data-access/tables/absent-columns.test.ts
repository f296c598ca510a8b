import { expect, test } from 'vitest';
import { postgresReader } from '../../../../functions/data-access/engines/postgres/table-reader.ts';
import type { TypedSql } from '../../../../functions/data-access/engines/table-sql.ts';
import { canonicalTables } from '../../../../functions/data-access/tables/canonical-tables.ts';

const { dialect } = postgresReader({ run: () => Promise.reject(new Error('unused')), close: async () => {} });
const column = (sql: string): TypedSql => ({ sql, kind: 'text' });
const events = {
  from: 'log',
  columns: new Map<string, TypedSql>([
    ['event_name', column('type')],
    ['user_id', column('who')],
    ['recorded_at', { sql: 'ts', kind: 'timestamptz' }],
    ['app_version', column('version')],
  ]),
};
const users = { from: 'people', columns: new Map([['country', column('land')]]) };

// Without a column, the answer is NULL for each event, and deriving sessions reads the history of all users.
test.each([
  { name: 'a description that no column has', columns: ['country'], derives: false },
  { name: 'a description that a column has', columns: ['app_version', 'country'], derives: true },
  { name: 'a platform, which is web without a column', columns: ['platform'], derives: true },
  { name: 'a description that the table of users has', columns: ['country'], users, derives: true },
])('events by $name', ({ columns, derives, ...tables }) => {
  const source = canonicalTables({ tables: { events, ...tables }, dialect });
  const sql = source('events', { columns: new Set(['recorded_at', ...columns]) });
  expect(sql.includes('_sessions')).toBe(derives);
  for (const name of columns) expect(sql).toContain(`as "${name}"`);
});
