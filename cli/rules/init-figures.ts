import { join } from 'node:path';
import { openReader } from '../../functions/data-access/apps/open-reader.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import {
  type FoundColumn,
  type ListingReader,
  SqlRejected,
  type TableReader,
} from '../../functions/data-access/engines/table-reader.ts';
import { quotedName } from '../../functions/data-access/engines/table-sql.ts';
import { millisOf } from '../../functions/data-access/tables/check-tables.ts';
import { type Field, titleOf } from '../../local/data/import/fields.ts';
import { type ProposedColumns, proposeColumns } from '../../local/data/tables/propose-events.ts';
import { ownFolder } from '../../local/files.ts';
import { addLocalSecret } from '../../local/secrets.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import type { FiguresInput } from '../../shared/config/config.ts';
import { postHogSchema } from '../../shared/config/posthog.ts';
import type { SqlColumn, SqlTablesInput } from '../../shared/config/sql-tables.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { documentPath } from '../terminal/documents.ts';

/** The name of the secret with the URL. */
const URL_SECRET = 'database-url';

export interface FoundFigures {
  app: string;
  figures: FiguresInput;
  /** As the end of a sentence. */
  from: string;
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
 * Finds the table of events in the database of a URL, and keeps the URL as a secret of this machine; of a project of
 * PostHog its key.
 * @throws InvalidRequestError if no table, or more than one, can be the one.
 */
export async function figuresAt(url: string, wanted: Wanted): Promise<FoundFigures> {
  const { app, zone, table, state } = wanted;
  const { origin: host = '', username = '', pathname = '' } = URL.parse(url) ?? {};
  const project = Number(/^\/project\/(\d+)/.exec(pathname)?.[1]);
  if (project && !username)
    throw new InvalidRequestError(
      `the URL of a project needs a key: https://phx_KEY@eu.posthog.com${pathname}`,
    );
  if (project) return postHogAt({ host, project }, username, wanted);
  await using opened = await openReader(url);
  const { reader } = opened;
  const chosen = choose(table === undefined ? await proposalsIn(reader) : [await proposalOf(reader, table)]);
  const columns: Record<string, SqlColumn> = {};
  for (const [field, column] of chosen.columns) {
    const found = await columnFor(reader, chosen.table, column, field);
    if (found !== undefined) columns[field] = found;
  }
  const system = chosen.columns.get('os_name');
  const platform = columns.platform ?? (system && (await platformIn(reader, chosen.table, system.name)));
  await ownFolder(state);
  await addLocalSecret(join(state, 'secrets.json'), URL_SECRET, url);
  const properties = columns.properties === undefined ? chosen.properties : [];
  const events = {
    table: chosen.table,
    columns: {
      ...columns,
      ...(platform && { platform }),
      ...(properties.length > 0 && {
        properties: Object.fromEntries(properties.map((name) => [name, name])),
      }),
    } as SqlTablesInput['apps'][string]['events']['columns'],
  };
  const found = app ?? nameIn(url);
  return {
    app: found,
    figures: { sql: { engine: opened.engine, urlSecret: URL_SECRET, apps: { [found]: { zone, events } } } },
    from: `the table ${chosen.table}; its columns are in deltawatch.config.ts`,
  };
}

type Proposal = ProposedColumns & { table: string };

/** A project whose events the key can read. */
async function postHogAt(
  address: { host: string; project: number },
  key: string,
  { app = 'app', zone, state }: Wanted,
): Promise<FoundFigures> {
  const posthog = { ...address, keySecret: 'posthog-key', apps: { [app]: { zone } } };
  const tables = await openTables(postHogSchema.parse(posthog), { readSecret: async () => key, folder: '.' });
  tables.close();
  await ownFolder(state);
  await addLocalSecret(join(state, 'secrets.json'), posthog.keySecret, key);
  return { app, figures: { posthog }, from: `the project ${address.project} of PostHog` };
}

const from = (table: string) => table.split('.').map(quotedName).join('.');

async function proposalOf(reader: TableReader, table: string): Promise<Proposal> {
  try {
    return { table, ...proposeColumns(await reader.describe(`select * from ${from(table)} limit 0`)) };
  } catch (error) {
    if (!(error instanceof SqlRejected)) throw error;
    throw new InvalidRequestError(`${reader.engine} cannot read ${table}: ${error.message}`);
  }
}

/** Leaves out what cannot be read, such as a queue or a view of a table that is gone, unless nothing can be. */
async function proposalsIn(reader: ListingReader): Promise<Proposal[]> {
  const proposals: Proposal[] = [];
  let refusal: InvalidRequestError | undefined;
  for (const table of await reader.tables())
    try {
      proposals.push(await proposalOf(reader, table));
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      refusal = error;
    }
  if (refusal && proposals.length === 0) throw refusal;
  return proposals;
}

/** A number must be a time, and a text must hold an object. */
async function columnFor(
  reader: TableReader,
  table: string,
  { name, kind }: FoundColumn,
  field: Field,
): Promise<SqlColumn | undefined> {
  const sql = quotedName(name);
  const isTime = field === 'recorded_at' || field === 'uploaded_at';
  const isObject = field === 'properties' || field === 'user_properties';
  if (!(isTime && kind === 'number') && !(isObject && kind === 'text')) return name;
  const value = await reader.first(
    `select ${sql} as value from ${from(table)} where ${sql} is not null limit 1`,
  );
  if (isObject) return String(value).startsWith('{') ? name : undefined;
  const millis = millisOf(sql, Number(value));
  return millis === undefined || millis === sql ? name : { sql: millis };
}

/** The column of the operating system, if all its values are platforms. */
async function platformIn(reader: TableReader, table: string, system: string): Promise<string | undefined> {
  const name = quotedName(system);
  const other = await reader.first(
    `select 1 as n from ${from(table)} where lower(cast(${name} as ${reader.dialect.textType})) not in ('android', 'ios', 'web') limit 1`,
  );
  return other === undefined ? system : undefined;
}

/** The name of the database, if it can name an app. */
function nameIn(url: string): string {
  const name = new URL(url).pathname.slice(1);
  return appSettingsSchema.shape.id.safeParse(name).success ? name : 'app';
}

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
      `no table has a column that looks like ${best.missing.map(titleOf).join(' and ')}; the nearest is ${best.table}: map its columns in deltawatch.config.ts (${documentPath('how-to/sql-tables.md')})`,
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
