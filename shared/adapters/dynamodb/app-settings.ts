import * as z from 'zod';
import { type AppSettings, appSettingsSchema } from '../../access/app-settings.ts';
import { getItem, type Key, putItem, type Table, tookPlace } from './requests.ts';
import { parseSole } from './unreadable-items.ts';

const settingsItemSchema = z.object({ settings: appSettingsSchema });

/** What the service knows of each app, beside the keys. */
export function dynamodbAppSettings(table: Table) {
  return {
    /** Undefined where the app has none. */
    async settingsOf(appId: string): Promise<AppSettings | undefined> {
      const item = await getItem(table, settingsKey(appId));
      return item && parseSole(table, settingsItemSchema, item).settings;
    },

    /** False where the app has settings, which stay as they are. */
    saveFirst(settings: AppSettings): Promise<boolean> {
      const Item = { ...settingsKey(settings.id), settings };
      return tookPlace(putItem(table, { Item, ConditionExpression: 'attribute_not_exists(pk)' }));
    },

    async save(settings: AppSettings): Promise<void> {
      await putItem(table, { Item: { ...settingsKey(settings.id), settings } });
    },
  };
}

const settingsKey = (appId: string): Key => ({ pk: `APP#${appId}`, sk: 'SETTINGS' });
