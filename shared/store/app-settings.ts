import * as z from 'zod';
import { type AppSettings, appSettingsSchema } from '../access/app-settings.ts';
import type { Key, Table } from './table.ts';
import { loadSole } from './unreadable-items.ts';

const settingsItemSchema = z.object({ settings: appSettingsSchema });

/** The settings of each app, in the table of the keys. */
export function appSettingsIn(table: Table) {
  return {
    /** Undefined if the app has no settings. */
    async settingsOf(appId: string): Promise<AppSettings | undefined> {
      return (await loadSole(table, settingsItemSchema, settingsKey(appId)))?.settings;
    },

    async save(settings: AppSettings): Promise<void> {
      await table.put({ ...settingsKey(settings.id), settings });
    },
  };
}

const settingsKey = (appId: string): Key => ({ pk: `APP#${appId}`, sk: 'SETTINGS' });
