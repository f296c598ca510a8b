import { type AppSettings, appSettingsSchema } from '../../../shared/access/app-settings.ts';
import type { SqlApp } from '../../../shared/config/sql-tables.ts';
import type { TableSource } from '../engines/compiler.ts';
import { canonicalTables } from '../tables/canonical-tables.ts';
import { checkTables, type TableReader } from '../tables/check-tables.ts';
import type { Apps } from './apps.ts';
import { type TableApp, tableApps } from './table-apps.ts';

interface MappedTables {
  readonly apps: Readonly<Record<string, SqlApp>>;
  readonly reader: TableReader;
  readonly engineOver: (source: TableSource) => TableApp['withEngine'];
  /** Ends the connections, also if a table or column does not fit. */
  readonly close: () => Promise<void> | void;
}

/** The apps of a configuration. Looks up all tables and columns first. */
export async function mappedApps({ apps, reader, engineOver, close }: MappedTables): Promise<Apps> {
  try {
    const opened = new Map<string, TableApp>();
    for (const [id, app] of Object.entries(apps)) {
      const tables = await checkTables(id, app, reader);
      const source = canonicalTables({ tables, dialect: reader.dialect });
      opened.set(id, { settings: settingsOf(id, app), withEngine: engineOver(source) });
    }
    return tableApps(opened, () => void close());
  } catch (error) {
    await close();
    throw error;
  }
}

/** Only one process reads the tables, within its own budget of calls, so the service limits nothing. */
const settingsOf = (id: string, { zone, dashboardUrl }: SqlApp): AppSettings =>
  appSettingsSchema.parse({ id, name: id, zone, dashboardUrl, rateLimit: { enforce: false } });
