import { expect, test } from 'vitest';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import { appSettingsIn } from '../../shared/store/app-settings.ts';
import { onEmptyTable } from './both-stores.ts';

const table = onEmptyTable();
const shop = appSettingsSchema.parse({
  id: 'shop',
  name: 'Shop',
  zone: 'Europe/Berlin',
  rateLimit: { perSecond: 50 },
});

test('settingsOf returns the saved settings of the app only', async () => {
  const settings = appSettingsIn(table());
  expect(await settings.settingsOf('shop')).toBeUndefined();
  await settings.save(shop);
  expect(await settings.settingsOf('shop')).toEqual(shop);
  expect(await settings.settingsOf('blog')).toBeUndefined();
  await settings.save({ ...shop, name: 'The shop' });
  expect((await settings.settingsOf('shop'))?.name).toBe('The shop');
});

test('settingsOf fills in defaults and rejects invalid settings', async () => {
  const settings = appSettingsIn(table());
  const item = { pk: 'APP#shop', sk: 'SETTINGS' };
  await table().put({ ...item, settings: { id: 'shop', name: 'Shop' } });
  expect(await settings.settingsOf('shop')).toMatchObject({ zone: 'UTC', rateLimit: { perHour: 500 } });
  await table().put({ ...item, settings: { id: 'shop', name: 'Shop', zone: 'Mars' } });
  await expect(settings.settingsOf('shop')).rejects.toMatchObject({ name: 'UpstreamError' });
});
