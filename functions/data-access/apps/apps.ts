import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { DEFAULT_LIMITS, type DuckDbLimits } from '../engines/duckdb.ts';
import type { Engine } from '../engines/engine.ts';
import { RequestError } from '../requests/request-error.ts';
import { openEngines } from './engine-pool.ts';
import { absent, FromFile, readJson, unreadable } from './reloading-file.ts';

/** An app that can be asked. */
export interface App {
  readonly settings: AppSettings;
  readonly engine: Engine;
  /** As of when a request made `now` sees the data; that very moment if left out. */
  readonly asOf?: (now: Millis) => Millis;
}

/** Whose data are asked for, and by which key: keys share the engine. */
export interface Asking {
  readonly appId: string;
  readonly keyId: string;
}

/** The apps that the service has data of. */
export interface Apps {
  settingsOf(appId: string): Promise<AppSettings | undefined>;
  /** Runs `use` against the app's data as they are now: a file swapped meanwhile is not seen. Undefined without data. */
  withApp<T>(asking: Asking, use: (app: App) => Promise<T>): Promise<{ answer: T } | undefined>;
  close(): void;
}

const DATA = '.duckdb';

/** Requests of one key that put questions at a time; more than these would only wait for each other. */
const MOST_OF_A_KEY = 64;
/** Of all keys together. */
const MOST_AT_ONCE = 4 * MOST_OF_A_KEY;

/** The apps of a data directory: for each `<id>.json` and `<id>.duckdb`. The memory limit is for all of them together. */
export function appsIn(directory: string, limits: DuckDbLimits = DEFAULT_LIMITS): Apps {
  const settings = new Map<string, FromFile<AppSettings>>();
  const engines = openEngines(limits, async () => (await appIdsIn(directory)).length);

  const asking = new Map<string, number>();
  const begin = (keyId: string) => {
    const ofKey = asking.get(keyId) ?? 0;
    const ofAll = [...asking.values()].reduce((sum, count) => sum + count, 0);
    if (ofKey >= MOST_OF_A_KEY)
      throw new RequestError(
        'RATE_LIMITED',
        `this key has ${MOST_OF_A_KEY} questions waiting; ask the next when one is answered`,
      );
    if (ofAll >= MOST_AT_ONCE) throw new UpstreamError('too many questions at once', { retryable: true });
    asking.set(keyId, ofKey + 1);
  };
  const end = (keyId: string) => {
    const left = (asking.get(keyId) ?? 1) - 1;
    if (left > 0) asking.set(keyId, left);
    else asking.delete(keyId);
  };

  const settingsOf = (appId: string) => {
    const path = join(directory, `${appId}.json`);
    const file = settings.get(appId) ?? new FromFile(path, readSettings);
    settings.set(appId, file);
    return file.get().catch(unreadable(path));
  };

  return {
    settingsOf,
    async withApp({ appId, keyId }, use) {
      const found = await settingsOf(appId);
      if (found === undefined) return undefined;
      begin(keyId);
      try {
        return await engines.withEngine(join(directory, `${appId}${DATA}`), async (opened) => {
          await using engine = opened.forRequest(keyId);
          return await use({ settings: found, engine });
        });
      } finally {
        end(keyId);
      }
    },
    close: () => engines.close(),
  };
}

/** The apps that have data in a data directory, in the order of their ids; none where there is no directory. */
export async function appIdsIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory).catch(absent)) ?? [];
  return names
    .filter((name) => name.endsWith(DATA))
    .map((name) => name.slice(0, -DATA.length))
    .sort();
}

const readSettings = (path: string): Promise<AppSettings> => readJson(path, appSettingsSchema);
