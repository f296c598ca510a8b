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
  readonly engineOver: (source: TableSource) => WithEngine;
  /** Ends the connections, also if a table or column does not fit. */
  readonly close: () => Promise<void> | void;
}

/** The apps of a configuration. Looks up all tables and columns first. */
export async function mappedApps(tables: MappedTables): Promise<Apps> {
  try {
    const found = new Map<string, WithEngine>();
    for (const [id, app] of Object.entries(tables.apps)) found.set(id, await lookUp(id, app, tables));
    return appsOf(tables, async (id) => found.get(id));
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
  const found = new Map(
    Object.entries(tables.apps).map(([id, app]) => [id, new Kept(() => lookUp(id, app, tables))]),
  );
  return appsOf(tables, (id) =>
    found
      .get(id)
      ?.get()
      .catch((error: Error) => {
        onFailure(error);
        throw error;
      }),
  );
}

/** Runs `use` with the engine of one request, whose time limit starts now. Its queries stop afterwards. */
export type WithEngine = <T>(keyId: string, use: (engine: Engine) => Promise<T>) => Promise<T>;

async function lookUp(id: string, app: SqlApp, { reader, engineOver }: MappedTables): Promise<WithEngine> {
  const tables = await checkTables(id, app, reader);
  return engineOver(canonicalTables({ tables, dialect: reader.dialect }));
}

const appsOf = (
  { apps, close }: MappedTables,
  engineOf: (appId: string) => Promise<WithEngine | undefined> | undefined,
): Apps => {
  const settings = new Map(Object.entries(apps).map(([id, app]) => [id, settingsOf(id, app)]));
  return {
    settingsOf: async (appId) => settings.get(appId),
    async withApp({ appId, keyId }, use) {
      const found = settings.get(appId);
      const withEngine = await engineOf(appId);
      if (!found || !withEngine) return undefined;
      return { answer: await withEngine(keyId, (engine) => use({ settings: found, engine })) };
    },
    close: () => void close(),
  };
};

/** Only one process reads the tables, within its own budget of calls, so the service limits nothing. */
const settingsOf = (id: string, { zone, dashboardUrl }: SqlApp): AppSettings =>
  appSettingsSchema.parse({ id, name: id, zone, dashboardUrl, rateLimit: { enforce: false } });

/** Opens an engine for each request, and disposes of it. */
export const engineOfRequest =
  (open: (keyId: string) => Engine & AsyncDisposable): WithEngine =>
  async (keyId, use) => {
    await using engine = open(keyId);
    return await use(engine);
  };

/** What opening the tables of a team needs. */
export interface TableDeps {
  /** The value of a secret. */
  readonly readSecret: (name: string) => Promise<string>;
  /** Where relative paths of files begin. */
  readonly folder: string;
}
