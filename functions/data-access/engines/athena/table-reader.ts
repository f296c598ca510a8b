import { SqlRejected, type TableReader } from '../table-reader.ts';
import { type Kind, quotedName } from '../table-sql.ts';
import { TRINO_TABLES } from '../trino/table-sql.ts';
import type { Athena } from './client.ts';
import { StatementRejected } from './failures.ts';

const NUMBERS = ['tinyint', 'smallint', 'integer', 'bigint', 'real', 'float', 'double', 'decimal'];
/** By the type in the metadata of a result, which has no parameters. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['varchar', 'text'],
  ...NUMBERS.map((type) => [type, 'number'] as const),
  ['boolean', 'boolean'],
  ...['json', 'map', 'row'].map((type) => [type, 'json'] as const),
  ['date', 'date'],
  ['timestamp', 'timestamp'],
  ['timestamp with time zone', 'timestamptz'],
]);

/** Reads the columns of tables, views and SELECTs in Athena. Throws `UpstreamError` if it cannot be reached. */
export function athenaReader(athena: Athena): TableReader {
  const describe: TableReader['describe'] = async (select) => {
    const columns = await athena.describe(select);
    const lists = columns.filter(({ type }) => type === 'array').map(({ name }) => name);
    const texts = await listsOfTexts(athena, select, lists);
    return columns.map(({ name, type }) => ({
      name,
      kind: texts.has(name) ? 'texts' : (KINDS.get(type) ?? 'other'),
    }));
  };
  return {
    engine: 'Athena',
    dialect: TRINO_TABLES,
    describe: (select) =>
      describe(select).catch((error: unknown) => {
        throw error instanceof StatementRejected ? new SqlRejected(error.message) : error;
      }),
    async first(select) {
      const [row] = (await athena.runStatement(select)).rows;
      return row && Object.values(row)[0];
    },
  };
}

/** The metadata of a result does not say what a list holds. */
async function listsOfTexts(
  athena: Athena,
  select: string,
  lists: readonly string[],
): Promise<ReadonlySet<string>> {
  if (lists.length === 0) return new Set();
  const types = lists.map((name, at) => `typeof(${quotedName(name)}) as type${at}`);
  const { rows } = await athena.runStatement(
    `select ${types.join(', ')} from (values 1) as one (n) left join (${select}) as given on true`,
  );
  return new Set(lists.filter((_, at) => String(rows[0]?.[`type${at}`]).startsWith('array(varchar')));
}
