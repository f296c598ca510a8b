import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { SqlApp } from '../../../shared/config/sql-tables.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import type { TableSource } from '../engines/compiler.ts';
import type { Engine } from '../engines/engine.ts';
import type { TableReader } from '../engines/table-reader.ts';
import { RequestError } from '../requests/request-error.ts';
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

/** The apps of a configuration. Looks up all tables and columns first, unless there is an `onFailure`. */
export async function mappedApps(tables: MappedTables, onFailure?: TableDeps['onFailure']): Promise<Apps> {
  const found = lookUps(tables);
  try {
    if (!onFailure) for (const engine of found.values()) await engine.get();
  } catch (error) {
    await tables.close();
    throw error;
  }
  return appsOf(tables, found, onFailure);
}

/** Runs `use` with the engine of one request, whose time limit starts now. Its queries stop afterwards. */
export type WithEngine = <T>(keyId: string, use: (engine: Engine) => Promise<T>) => Promise<T>;

type LookUps = ReadonlyMap<string, Kept<WithEngine>>;

const lookUps = ({ apps, reader, engineOver }: MappedTables): LookUps =>
  new Map(
    Object.entries(apps).map(([id, app]) => {
      const lookUp = async () =>
        engineOver(canonicalTables({ tables: await checkTables(id, app, reader), dialect: reader.dialect }));
      return [id, new Kept(lookUp)];
    }),
  );

function appsOf({ apps, close }: MappedTables, found: LookUps, onFailure: TableDeps['onFailure']): Apps {
  const settings = new Map(Object.entries(apps).map(([id, app]) => [id, settingsOf(id, app)]));
  return {
    settingsOf: async (appId) => settings.get(appId),
    async withApp({ appId, keyId }, use) {
      const ofApp = settings.get(appId);
      const withEngine = await found
        .get(appId)
        ?.get()
        .catch((error: Error) => {
          onFailure?.(error);
          throw error;
        });
      if (!ofApp || !withEngine) return undefined;
      const answer = await withEngine(keyId, (engine) => use({ settings: ofApp, engine })).catch(throwReason);
      return { answer };
    },
    close: () => void close(),
  };
}

/** The team that reads the answer can correct what lasts, such as a key that was revoked. */
function throwReason(error: unknown): never {
  if (!(error instanceof UpstreamError) || error.retryable) throw error;
  throw new RequestError('INTERNAL', error.message);
}

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
  /**
   * Lambda stops a process between requests, and a connection that was open may then be dead. So each statement opens its
   * own, one at a time.
   */
  readonly onLambda?: boolean;
  /**
   * With it, the tables and columns of an app are looked up at its first request, so that one app cannot stop the others.
   * It gets the error if they do not fit; the next request looks them up again.
   */
  readonly onFailure?: ((error: Error) => void) | undefined;
}
