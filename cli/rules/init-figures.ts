import { join } from 'node:path';
import { openReader } from '../../functions/data-access/apps/open-reader.ts';
import {
  type FoundColumn,
  SqlRejected,
  type TableReader,
} from '../../functions/data-access/engines/table-reader.ts';
import { quotedName } from '../../functions/data-access/engines/table-sql.ts';
import { titleOf } from '../../local/data/import/fields.ts';
import { type ProposedColumns, proposeColumns } from '../../local/data/tables/propose-events.ts';
import { ownFolder } from '../../local/files.ts';
import { addLocalSecret } from '../../local/secrets.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import type { SqlTablesInput } from '../../shared/config/sql-tables.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';

/** The name of the secret with the URL. */
const URL_SECRET = 'database-url';

export interface FoundFigures {
  app: string;
  sql: SqlTablesInput;
}

interface Wanted {
  app: string | undefined;
  zone: string;
  /** The table of events, if it is named. */
  table: string | undefined;
  /** The folder of the state, for the secret. */
  state: string;
}

/**
 * Finds the table of events in the database of a URL, and keeps the URL as a secret of this machine.
 * @throws InvalidRequestError if no table, or more than one, can be the one.
 */
export async function figuresAt(url: string, { app, zone, table, state }: Wanted): Promise<FoundFigures> {
  await using opened = await openReader(url);
  const names = table === undefined ? await opened.reader.tables() : [table];
  const proposals: (ProposedColumns & { table: string })[] = [];
  for (const name of names)
    proposals.push({ table: name, ...proposeColumns(await columnsOf(opened.reader, name)) });
  const { columns, properties, ...chosen } = choose(proposals);
  const system = columns.get('os_name');
  const platform =
    columns.get('platform') ?? (system && (await platformIn(opened.reader, chosen.table, system)));
  await ownFolder(state);
  await addLocalSecret(join(state, 'secrets.json'), URL_SECRET, url);
  const events = {
    table: chosen.table,
    columns: {
      ...Object.fromEntries(columns),
      ...(platform && { platform }),
      ...(properties.length > 0 && {
        properties: Object.fromEntries(properties.map((name) => [name, name])),
      }),
    },
  };
  const found = app ?? nameIn(url);
  return {
    app: found,
    sql: { engine: opened.engine, urlSecret: URL_SECRET, apps: { [found]: { zone, events } } },
  };
}

const from = (table: string) => table.split('.').map(quotedName).join('.');
async function columnsOf(reader: TableReader, table: string): Promise<readonly FoundColumn[]> {
  try {
    return await reader.describe(`select * from ${from(table)} limit 0`);
  } catch (error) {
    if (!(error instanceof SqlRejected)) throw error;
    throw new InvalidRequestError(`${reader.engine} cannot read ${table}: ${error.message}`);
  }
}

/** The column of the operating system, if all its values are platforms. */
async function platformIn(reader: TableReader, table: string, system: string): Promise<string | undefined> {
  const name = quotedName(system);
  const other = await reader.first(
    `select 1 as n from ${from(table)} where lower(${name}) not in ('android', 'ios', 'web') limit 1`,
  );
  return other === undefined ? system : undefined;
}

/** The name of the database, if it can name an app. */
function nameIn(url: string): string {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  return appSettingsSchema.shape.id.safeParse(name).success ? name : 'app';
}

type Proposal = ProposedColumns & { table: string };

function choose(proposals: readonly Proposal[]): Proposal {
  const [best, ...others] = proposals.toSorted(
    (a, b) => a.missing.length - b.missing.length || b.columns.size - a.columns.size,
  );
  if (best === undefined)
    throw new InvalidRequestError(
      'the user of the URL can read no table: grant it select on the table of events',
    );
  if (best.missing.length > 0)
    throw new InvalidRequestError(
      `no table has a column that looks like ${best.missing.map(titleOf).join(' and ')}; the nearest is ${best.table}: map its columns in deltawatch.config.ts`,
    );
  const equals = others.filter(
    ({ missing, columns }) => missing.length === 0 && columns.size === best.columns.size,
  );
  if (equals.length > 0)
    throw new InvalidRequestError(
      `${[best, ...equals].map(({ table }) => table).join(' and ')} look like tables of events: name one with --table`,
    );
  return best;
}
