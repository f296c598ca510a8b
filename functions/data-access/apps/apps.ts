import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { lazyIn } from '../../../shared/units/lazy.ts';
import { DEFAULT_LIMITS, type DuckDbLimits } from '../engines/duckdb/engine.ts';
import type { Engine } from '../engines/engine.ts';
import { enginePool } from './engine-pool.ts';
import { absent, ReloadingFile, readJson, unreadable } from './reloading-file.ts';

/** An app whose data can be queried. */
export interface App {
  readonly settings: AppSettings;
  readonly engine: Engine;
  /** The time up to which a request at `now` sees uploads; `now` itself if omitted. */
  readonly asOf?: (now: Millis) => Millis;
}

/** The app of a request, and its key, because keys share the engine. */
export interface AppRequest {
  readonly appId: string;
  readonly keyId: string;
}

export interface Apps {
  settingsOf(appId: string): Promise<AppSettings | undefined>;
  /** Runs `use` on the current data of the app, even if its file is replaced meanwhile. Undefined without data. */
  withApp<T>(request: AppRequest, use: (app: App) => Promise<T>): Promise<{ answer: T } | undefined>;
  close(): void;
}

const DATA = '.duckdb';

/** The apps of a data directory, each with `<id>.json` and `<id>.duckdb`. They share the memory limit. */
export function appsIn(directory: string, limits: DuckDbLimits = DEFAULT_LIMITS): Apps {
  const settings = new Map<string, ReloadingFile<AppSettings>>();
  const engines = enginePool(limits, async () => (await appIdsIn(directory)).length);

  const settingsOf = (appId: string) => {
    const path = join(directory, `${appId}.json`);
    const file = lazyIn(
      settings,
      appId,
      () => new ReloadingFile(path, (file) => readJson(file, appSettingsSchema)),
    );
    return file.get().catch(unreadable(path));
  };

  return {
    settingsOf,
    async withApp({ appId, keyId }, use) {
      const found = await settingsOf(appId);
      if (found === undefined) return undefined;
      return engines.withEngine(join(directory, `${appId}${DATA}`), async (opened) => {
        await using engine = opened.forRequest(keyId);
        return await use({ settings: found, engine });
      });
    },
    close: () => engines.close(),
  };
}

/** The ids of the apps with data in a directory, sorted; empty if the directory does not exist. */
export async function appIdsIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory).catch(absent)) ?? [];
  return names
    .filter((name) => name.endsWith(DATA))
    .map((name) => name.slice(0, -DATA.length))
    .sort();
}
