import {
  DIMENSION_SETS,
  type Dimension,
  HOURS,
  HOURS_TABLES,
  type HoursTable,
  ROW_ORDER,
  TABLES,
  type TableName,
} from '../../shared/contract/tables.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';

const DIMENSIONS: readonly Dimension[] = ['platform', 'app_version', 'country'];

/** In SQL, `grouping` has a bit for each dimension by which the rows are not grouped. */
const bitsOf = (set: readonly Dimension[]): number =>
  DIMENSIONS.reduce((bits, dimension) => bits * 2 + (set.includes(dimension) ? 0 : 1), 0);

const DIMENSIONS_SQL = `CASE grouping(${DIMENSIONS.join(', ')}) ${DIMENSION_SETS.map(
  (set) => `WHEN ${bitsOf(set)} THEN '${set.join(',')}'`,
).join(' ')} END`;

const SESSION_SUMS = Object.keys(HOURS.session_hours).filter(
  (name) => name.endsWith('_count') && name !== 'session_count' && name !== 'new_user_count',
);

const SOURCES: Readonly<Record<HoursTable, { from: string; sums: readonly string[] }>> = {
  event_hours: { from: 'events', sums: ['count(*) AS event_count'] },
  session_hours: {
    from: `(
      FROM sessions
      SELECT *, session_number = 1 AS is_first, is_first AND user_id IN (
        FROM sessions SELECT user_id WHERE session_number = 1 GROUP BY user_id HAVING count(*) > 1
      ) AS is_repeated)`,
    sums: [
      'count(*) AS session_count',
      'CASE WHEN NOT bool_or(is_repeated) THEN count(*) FILTER (WHERE is_first) END AS new_user_count',
      ...SESSION_SUMS.map((name) => `sum(${name})::BIGINT AS ${name}`),
    ],
  },
};

/** The statements that fill the tables of hours from the tables of rows. */
export const HOURS_SQL = HOURS_TABLES.map((table) => {
  const { from, sums } = SOURCES[table];
  const keys = ['hour', ...('event_name' in HOURS[table] ? ['event_name'] : [])];
  const sets = DIMENSION_SETS.map((set) => `(${[...keys, ...set].join(', ')})`);
  const order = ROW_ORDER[table].map((name) => (name === 'day' ? `recorded_at // ${DAY_MS}` : name));
  return `
  CREATE TABLE ${table} AS
  WITH given AS (
    FROM ${from} SELECT *, recorded_at - (recorded_at % ${HOUR_MS} + ${HOUR_MS}) % ${HOUR_MS} AS hour
  ), summed AS (
    FROM given
    SELECT ${keys.join(', ')}, ${DIMENSIONS.join(', ')}, max(uploaded_at) AS uploaded_at,
      ${DIMENSIONS_SQL} AS dimensions, ${sums.join(', ')}
    GROUP BY GROUPING SETS (${sets.join(', ')})
  )
  FROM (FROM summed SELECT * RENAME (hour AS recorded_at))
  SELECT ${Object.keys(HOURS[table]).join(', ')}
  ORDER BY ${order.join(', ')}`;
}).join(';\n');

/** The digest of a set of rows, in any order. The sum of the digests of disjoint sets is that of all their rows. */
const digestOf = (table: TableName): string => `sum(hash(${Object.keys(TABLES[table]).join(', ')}))::HUGEINT`;

/** Each UTC day of the tables, with the number and the digest of its rows. */
export const dayDigestsSql = (tables: readonly TableName[]): string =>
  tables
    .map(
      (table) => `
  FROM ${table}
  SELECT '${table}' AS of_table, floor(recorded_at / ${DAY_MS})::INTEGER AS day,
    count(*) AS rows, ${digestOf(table)} AS digest
  GROUP BY day`,
    )
    .join('\n  UNION ALL');
