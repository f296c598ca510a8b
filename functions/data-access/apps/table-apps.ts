import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { Engine } from '../engines/engine.ts';
import type { Apps } from './apps.ts';

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
export const tableApps = (apps: ReadonlyMap<string, TableApp>, close: () => void): Apps => ({
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
