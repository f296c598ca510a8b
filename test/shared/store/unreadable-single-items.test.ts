import { expect, test } from 'vitest';
import { UnreadableItemError } from '../../../shared/runtime/errors.ts';
import { alertStoreIn } from '../../../shared/store/alert-store.ts';
import { apiKeysIn } from '../../../shared/store/api-keys.ts';
import { appSettingsIn } from '../../../shared/store/app-settings.ts';
import { deploymentStoreIn } from '../../../shared/store/deployment-store.ts';
import { readingStoreIn } from '../../../shared/store/reading-store.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { runStoreIn } from '../../../shared/store/run-store.ts';
import { silenceStoreIn } from '../../../shared/store/silence-store.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import { usedLinksIn } from '../../../shared/store/used-links.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { itemsOf, watched } from '../../contracts/broken-items.ts';
import { aFiringAlert, aRuleSet, aSnapshot, NOW } from '../../contracts/samples.ts';
import { openDesk } from '../../functions/respond/desk.ts';

const table = onEmptyTable();

test('loadCurrent throws on unreadable routes', async () => {
  await ruleStoreIn(table()).save(aRuleSet('v1', 1));
  const manifest = await table().get({ pk: 'RULES#v1', sk: 'MANIFEST' });
  await table().putAll([{ ...manifest, routes: { channels: { team: { pigeon: {} } } } }]);
  const { opened, counted } = watched(table());
  await expect(ruleStoreIn(opened).loadCurrent()).rejects.toThrow(
    'item RULES#v1 / MANIFEST of the table cannot be read',
  );
  expect(counted).toEqual(['ItemsUnreadable']);
});

test('without readable rules, each page and the health check say why and what to do', async () => {
  await table().putAll([{ pk: 'RULES', sk: 'CURRENT', form: 2, version: 7 }]);
  const logged: string[] = [];
  const error = (_: string, fields = {}) => void logged.push(JSON.stringify(fields));
  const stores = storesIn(table(), { info: () => {}, warn: () => {}, error });
  const { app } = await openDesk({ ...stores, access: { kind: 'open' } });
  const why =
    'item RULES / CURRENT of the table cannot be read: restore the table from a backup, or use the version of Deltawatch that wrote it';
  const health = await app.request('https://watch.example.com/healthz');
  expect([health.status, await health.json()]).toEqual([503, { ok: false, reason: why }]);
  for (const path of ['/health', '/', '/rules', '/alerts', '/alerts/sales', '/timeline', '/silences']) {
    const page = await app.request(`https://watch.example.com${path}`);
    expect([path, page.status]).toEqual([path, 503]);
    expect(await page.text()).toContain(`<p>${why}</p>`);
  }
  expect(logged[0]).toContain('version: Invalid input: expected string');
});

test('load skips an unreadable snapshot, and save replaces it', async () => {
  const { opened, counted } = watched(table());
  const store = readingStoreIn(opened);
  const load = () => store.load(aSnapshot().family, { fromEndAt: 0, throughEndAt: NOW });
  await store.save(aSnapshot());
  const [item] = await itemsOf(table(), 'SNAPSHOTS#00112233aabbccdd');
  await table().putAll([{ ...item, body: Buffer.from('torn') }]);
  expect(await load()).toEqual([]);
  const again = aSnapshot({ readAt: NOW + HOUR_MS });
  await store.save(again);
  expect(await load()).toEqual([again]);
  await store.save(aSnapshot());
  expect(await load()).toEqual([again]);
  expect(counted).toEqual(['ItemsUnreadable']);
});

test('an unreadable tick is incomplete', async () => {
  await table().putAll([{ pk: 'TICK#daily', sk: 'TICK', batches: ['one'], finished: 'one' }]);
  const { opened, counted } = watched(table());
  expect(await runStoreIn(opened).isTickComplete('daily')).toBe(false);
  expect(counted).toEqual(['ItemsUnreadable']);
});

test('saving over an unreadable alert throws and keeps the item', async () => {
  const { opened } = watched(table());
  const store = alertStoreIn(opened);
  const saved = await store.save(aFiringAlert());
  const [item] = await itemsOf(table(), 'ALERT#checkout-errors');
  await table().putAll([{ ...item, alert: 'of-a-later-version' }]);
  for (const alert of [aFiringAlert(), { ...saved, revision: 7 }])
    await expect(store.save(alert)).rejects.toThrow(UnreadableItemError);
  expect(await itemsOf(table(), 'ALERT#checkout-errors')).toMatchObject([{ alert: 'of-a-later-version' }]);
});

test.each<[string, Item, (table: Table) => Promise<unknown>]>([
  ['a key', { pk: 'KEYS', sk: 'one', key: 1 }, (of) => apiKeysIn(of).find('one')],
  ['a used link', { pk: 'LINK#one', sk: 'USED', by: 1 }, (of) => usedLinksIn(of).find('one')],
  ['settings', { pk: 'APP#shop', sk: 'SETTINGS' }, (of) => appSettingsIn(of).settingsOf('shop')],
  ['a deployment', { pk: 'DEPLOYMENT', sk: 'LAST' }, (of) => deploymentStoreIn(of).load()],
])('reading %s that is unreadable throws and is counted and logged', async (_, item, read) => {
  await table().putAll([item]);
  const { opened, counted, logged } = watched(table());
  await expect(read(opened)).rejects.toThrow(UnreadableItemError);
  expect(counted).toEqual(['ItemsUnreadable']);
  expect(logged.join()).toContain(`${item.pk} / ${item.sk}`);
});

test('the log of an unreadable item names its fields but no values', async () => {
  const { opened, logged } = watched(table());
  await table().putAll([
    { pk: 'SILENCES', sk: 'SILENCE#one', id: 'one', by: 'dwk_secret', at: 'dwk_secret' },
  ]);
  expect(await silenceStoreIn(opened).loadAll()).toEqual([]);
  expect(logged.join()).toContain('match: Invalid input: expected object, received undefined');
  expect(logged.join()).not.toContain('dwk_secret');
});
