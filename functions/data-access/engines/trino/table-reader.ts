import { firstCell, type TableReader } from '../table-reader.ts';
import {
  dayStarts,
  type Kind,
  quotedName,
  quotedText,
  standardLists,
  type TableDialect,
  type TypedSql,
} from '../table-sql.ts';
import type { StatementClient, StatementRunner } from './engine.ts';

const NUMBERS = ['tinyint', 'smallint', 'integer', 'bigint', 'real', 'float', 'double', 'decimal'];
/** By the type without its parameters. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['varchar', 'text'],
  ...NUMBERS.map((type) => [type, 'number'] as const),
  ['boolean', 'boolean'],
  ...['json', 'map', 'row'].map((type) => [type, 'json'] as const),
  ['date', 'date'],
  ['timestamp', 'timestamp'],
  ['timestamp with time zone', 'timestamptz'],
]);

/** Reads the columns of tables, views and SELECTs in Trino, which Athena is. Throws `UpstreamError` if it cannot be reached. */
export function trinoReader(engine: 'Athena' | 'Trino', client: StatementClient): TableReader {
  return {
    engine,
    dialect: TRINO_TABLES,
    async describe(select) {
      const described = await client.describe(select);
      const columns = described.map(({ name, type }) => ({ name, type: withoutParameters(type) }));
      const lists = columns.filter(({ type }) => type === 'array').map(({ name }) => name);
      const texts = await listsOfTexts(client, select, lists);
      return columns.map(({ name, type }) => ({
        name,
        kind: texts.has(name) ? 'texts' : (KINDS.get(type) ?? 'other'),
      }));
    },
    first: async (select) => firstCell((await client.runStatement(select)).rows),
  };
}

const withoutParameters = (type: string): string =>
  /^timestamp.* with time zone$/.test(type) ? 'timestamp with time zone' : type.replace(/\(.*$/s, '');

/** The metadata of a result does not say what a list holds. */
async function listsOfTexts(
  client: StatementRunner,
  select: string,
  lists: readonly string[],
): Promise<ReadonlySet<string>> {
  if (lists.length === 0) return new Set();
  const types = lists.map((name, at) => `typeof(${quotedName(name)}) as type${at}`);
  const { rows } = await client.runStatement(
    `select ${types.join(', ')} from (values 1) as one (n) left join (${select}) as given on true`,
  );
  return new Set(lists.filter((_, at) => String(rows[0]?.[`type${at}`]).startsWith('array(varchar')));
}

const TRINO_TABLES: TableDialect = {
  textType: 'varchar',
  doubleType: 'double',
  ...standardLists('array(varchar)'),
  millis: ({ sql, kind }) => {
    if (kind === 'number') return `cast(${sql} as bigint)`;
    const epoch = kind === 'timestamptz' ? 'from_unixtime(0)' : "timestamp '1970-01-01 00:00:00'";
    return `date_diff('millisecond', ${epoch}, ${kind === 'date' ? `cast(${sql} as timestamp)` : sql})`;
  },
  dayStart: dayStarts((date) => `timestamp '${date} 00:00:00 UTC'`),
  // The compiler reads properties of a text, and results have no JSON.
  json: (map) => (map.kind === 'text' ? map.sql : `json_format(${asJson(map)})`),
  jsonObject: (properties) => {
    const names = properties.map(([name]) => quotedText(name));
    const values = properties.map(([, value]) => asJson(value));
    return {
      sql: `cast(map(array[${names.join(', ')}], cast(array[${values.join(', ')}] as array(json))) as json)`,
      kind: 'json',
    };
  },
  hash: (text) => `lower(to_hex(md5(to_utf8(${text}))))`,
  byCharacter: (text) => text,
  // A subscript outside the list is an error.
  firstOf: (list) => `element_at(${list}, 1)`,
};

const asJson = ({ sql }: TypedSql): string => `cast(${sql} as json)`;
