import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { Engine } from '../engines/engine.ts';
import type { Apps } from './apps.ts';

/** An app over the tables of a team. */
export interface TableApp {
  readonly settings: AppSettings;
  /** The engine of one request, whose time limit starts now. Disposing stops its queries. */
  forRequest(keyId: string): Engine & AsyncDisposable;
}

/** The apps of a configuration. `close` ends their connections. */
export const tableApps = (apps: ReadonlyMap<string, TableApp>, close: () => void): Apps => ({
  settingsOf: async (appId) => apps.get(appId)?.settings,
  async withApp({ appId, keyId }, use) {
    const app = apps.get(appId);
    if (app === undefined) return undefined;
    await using engine = app.forRequest(keyId);
    return { answer: await use({ settings: app.settings, engine }) };
  },
  close,
});
