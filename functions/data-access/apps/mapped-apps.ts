import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { SqlApp } from '../../../shared/config/sql-tables.ts';
import type { TableSource } from '../engines/compiler.ts';
import type { Engine } from '../engines/engine.ts';
import type { TableReader } from '../engines/table-reader.ts';
import { canonicalTables } from '../tables/canonical-tables.ts';
import { checkTables } from '../tables/check-tables.ts';
import type { Apps } from './apps.ts';
import { Kept } from './kept.ts';

/** The tables of the apps of a configuration, before they are looked up. */
export interface MappedTables {
  readonly apps: Readonly<Record<string, SqlApp>>;
  readonly reader: TableReader;
  readonly engineOver: (source: TableSource) => TableApp['withEngine'];
  /** Ends the connections, also if a table or column does not fit. */
  readonly close: () => Promise<void> | void;
}

/** The apps of a configuration. Looks up all tables and columns first. */
export async function mappedApps(tables: MappedTables): Promise<Apps> {
  try {
    const opened = new Map<string, TableApp>();
    for (const [id, app] of Object.entries(tables.apps))
      opened.set(id, { settings: settingsOf(id, app), withEngine: await lookUp(id, app, tables) });
    return tableApps(opened, () => void tables.close());
  } catch (error) {
    await tables.close();
    throw error;
  }
}

/**
 * The same, but looks up the tables and columns of an app at its first request, so that one app cannot stop the others.
 * `onFailure` gets the error if they do not fit; the next request looks them up again.
 */
export function mappedOnRequest(tables: MappedTables, onFailure: (error: Error) => void): Apps {
  const opened = Object.entries(tables.apps).map(([id, app]): [string, TableApp] => {
    const found = new Kept(() =>
      lookUp(id, app, tables).catch((error: Error) => {
        onFailure(error);
        throw error;
      }),
    );
    const settings = settingsOf(id, app);
    return [id, { settings, withEngine: async (keyId, use) => (await found.get())(keyId, use) }];
  });
  return tableApps(new Map(opened), () => void tables.close());
}

async function lookUp(
  id: string,
  app: SqlApp,
  { reader, engineOver }: MappedTables,
): Promise<TableApp['withEngine']> {
  const tables = await checkTables(id, app, reader);
  return engineOver(canonicalTables({ tables, dialect: reader.dialect }));
}

/** Only one process reads the tables, within its own budget of calls, so the service limits nothing. */
const settingsOf = (id: string, { zone, dashboardUrl }: SqlApp): AppSettings =>
  appSettingsSchema.parse({ id, name: id, zone, dashboardUrl, rateLimit: { enforce: false } });

/** An app over the tables of a team. */
export interface TableApp {
  readonly settings: AppSettings;
  /** Runs `use` with the engine of one request, whose time limit starts now. Its queries stop afterwards. */
  withEngine<T>(keyId: string, use: (engine: Engine) => Promise<T>): Promise<T>;
}

/** Opens an engine for each request, and disposes of it. */
export const engineOfRequest =
  (open: (keyId: string) => Engine & AsyncDisposable): TableApp['withEngine'] =>
  async (keyId, use) => {
    await using engine = open(keyId);
    return await use(engine);
  };

/** The apps of a configuration. `close` ends their connections. */
const tableApps = (apps: ReadonlyMap<string, TableApp>, close: () => void): Apps => ({
  settingsOf: async (appId) => apps.get(appId)?.settings,
  async withApp({ appId, keyId }, use) {
    const app = apps.get(appId);
    if (app === undefined) return undefined;
    return {
      answer: await app.withEngine(keyId, (engine) => use({ settings: app.settings, engine })),
    };
  },
  close,
});

/** What opening the tables of a team needs. */
export interface TableDeps {
  /** The value of a secret. */
  readonly readSecret: (name: string) => Promise<string>;
  /** Where relative paths of files begin. */
  readonly folder: string;
}
