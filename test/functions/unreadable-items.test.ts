import { expect, it } from 'vitest';
import { unreadNote } from '../../functions/respond/page/unread-note.ts';
import { syncRules } from '../../functions/sync-rules/sync-rules.ts';
import { appAlertKey } from '../../shared/alerts/app-alert.ts';
import { loadStatus } from '../../shared/responding/alert-status.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { alertItemKey } from '../../shared/store/alert-store.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { onEmptyTable } from '../contracts/both-stores.ts';
import { itemsOf } from '../contracts/broken-items.ts';
import { MONDAY, ruleNamed, ruleSetOf } from '../fixtures/builders.ts';
import { changeStoredRules } from '../fixtures/stored-rules.ts';
import { createWorld, type WorldOptions } from './world.ts';

const table = onEmptyTable();
const falls = { fire: { change: { below: '-50%' } } };
const sales = ruleNamed('sales', falls);
const views = ruleNamed('views', falls);
const elsewhere = ruleNamed('elsewhere', { ...falls, app: 'other' });
const byCountry = ruleNamed('by-country', { ...falls, group_by: 'device_country' });
const fall: WorldOptions['figure'] = (day) => (day < 5 ? 1000 : 100);

function worldOnTable(rules: Rule[], options: Partial<WorldOptions> = {}) {
  const logged: string[] = [];
  const log = (message: string, fields = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const stores = storesIn(table(), { info: log, warn: log, error: log });
  const world = createWorld({ rules, figure: fall, stores, ...options });
  return Object.assign(world, { storeLog: logged });
}

/** Makes the stored alert unreadable, and returns a function that restores it. */
async function breakAlert(key: { ruleId: string; segment: string | null }): Promise<() => Promise<void>> {
  const item = await table().get(alertItemKey(key));
  if (!item) throw new Error('no such alert');
  await table().put({ ...item, alert: 'of-a-later-version', open: 'of-a-later-version' });
  return () => table().put(item);
}

it('an unreadable alert affects only its rule, is not overwritten, and is evaluated once readable', async () => {
  const world = worldOnTable([sales, views, elsewhere]);
  await world.ticks(2, 3);
  const restore = await breakAlert({ ruleId: 'sales', segment: null });
  await world.ticks(4, 6);
  expect(world.notified().toSorted()).toEqual(['fired elsewhere', 'fired views']);
  expect(JSON.stringify(world.logged)).toContain('"rule":"sales"');
  expect(world.storeLog.join()).toContain('item ALERT#sales / RULE has an unexpected form: alert:');
  expect(await itemsOf(table(), 'ALERT#sales')).toMatchObject([{ alert: 'of-a-later-version' }]);
  await restore();
  await world.tick(7);
  expect(world.notified()).toContain('fired sales');
});

it('an unreadable alert of a segment makes its rule failing, and other segments fire', async () => {
  const world = worldOnTable([byCountry, views], { segments: ['Malta', 'Cyprus'] });
  await world.ticks(2, 3);
  const restore = await breakAlert({ ruleId: 'by-country', segment: 'Malta' });
  await world.ticks(4, 5);
  expect(world.notified().toSorted()).toEqual([
    'failing by-country',
    'fired by-country [Cyprus]',
    'fired views',
  ]);
  const [failing] = world.channel.sent.flatMap(({ items }) =>
    items.filter(({ transition }) => transition === 'failing'),
  );
  expect(failing?.summary).toContain(
    'n alert of the rule cannot be read: item ALERT#by-country / SEGMENT#Malta',
  );
  await restore();
  await world.tick(6);
  expect(world.notified()).toContain('fired by-country [Malta]');
  expect(await world.alerts.load([{ ruleId: 'by-country', segment: null }])).toMatchObject([
    { health: { kind: 'ok' } },
  ]);
});

it('an unreadable alert of an app does not prevent the evaluation of its rules', async () => {
  const world = worldOnTable([sales, elsewhere]);
  await world.ticks(2, 3);
  await breakAlert(appAlertKey('demo'));
  await world.ticks(4, 5);
  expect(world.notified().toSorted()).toEqual(['fired elsewhere', 'fired sales']);
});

it('a composite rule does not recover while the alert of a member is unreadable', async () => {
  const words = { title: 'Any of both', app: 'demo', owner: 'shop', every: 'day at 01:00' };
  const either = buildRule(
    ruleSetEntrySchema.parse({ id: 'either', ...words, any_of: ['by-country', 'views'] }),
  );
  const steady = ruleNamed('views', { fire: { change: { below: '-99%' } } });
  const quiet = ruleNamed('by-country', { ...falls, group_by: 'device_country', quiet: true });
  const world = worldOnTable([either, quiet, steady], { segments: ['Malta'] });
  await world.ticks(2, 5);
  expect(world.notified()).toEqual(['fired either']);
  await breakAlert({ ruleId: 'by-country', segment: 'Malta' });
  await world.ticks(6, 9);
  expect(world.notified()).not.toContain('recovered either');
  expect(await world.alerts.load([{ ruleId: 'either', segment: null }])).toMatchObject([{ state: 'firing' }]);
});

it('an unreadable silence holds no notifications', async () => {
  const item = { pk: 'SILENCES', sk: 'SILENCE#bad', id: 'bad', match: {}, fromAt: 0, untilAt: 'ever' };
  const world = worldOnTable([sales, elsewhere]);
  await world.ticks(2, 3);
  await table().putAll([item]);
  await world.ticks(4, 5);
  expect(world.notified().toSorted()).toEqual(['fired elsewhere', 'fired sales']);
  expect(world.storeLog.join()).toContain(`${item.pk} / ${item.sk}`);
});

it('the page lists an unreadable alert, which may be firing', async () => {
  const world = worldOnTable([sales, views]);
  await world.ticks(2, 5);
  await breakAlert({ ruleId: 'sales', segment: null });
  const status = await loadStatus(storesIn(table(), silent), MONDAY + 6 * DAY_MS);
  expect(status.unread).toMatchObject([{ ruleId: 'sales', segment: null }]);
  expect(String(await unreadNote(status))).toContain('may be firing and are not shown: sales.');
});

it('an unreadable rule does not affect other rules, and its alert keeps firing', async () => {
  const world = worldOnTable([sales, views, elsewhere]);
  await world.ticks(2, 5);
  const fired = ['fired elsewhere', 'fired sales', 'fired views'];
  expect(world.notified().toSorted()).toEqual(fired);
  const { version = '' } = (await world.rules.findCurrent()) ?? {};
  // A new process, which has not cached the rule.
  await changeStoredRules(table(), version, { sales: LATER });
  const after = worldOnTable([sales, views, elsewhere], {
    figure: (day) => (day < 9 ? fall(day, {}, 0) : 1000),
  });
  await after.ticks(6, 12);
  expect(after.notified()).toEqual(expect.arrayContaining(['recovered views', 'recovered elsewhere']));
  expect(after.notified().filter((each) => each.includes('sales'))).toEqual([]);
  expect(await after.alerts.load([{ ruleId: 'sales', segment: null }])).toMatchObject([{ state: 'firing' }]);
});

/** A key that a later version may add. */
const LATER = { budget: 'gold' };

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Deploys the rules without `sales`, in a process that has not cached any. */
function withoutSales() {
  const stores = storesIn(table(), silent);
  const clock = new ManualClock(MONDAY + 20 * DAY_MS);
  const ruleSet = { ...ruleSetOf(views), version: 'next' };
  const sync = (alerts = stores.alerts) => syncRules(ruleSet, { ...stores, alerts, clock, logger: silent });
  return { stores, sync };
}

it.each([
  ['its routes are of a later version', { routes: 'later' }],
  ['it has fewer rules than it should', { partCount: 9 }],
])('an unreadable rule set can be replaced: %s', async (_, broken) => {
  const world = worldOnTable([sales, views]);
  await world.ticks(2, 5);
  const { version = '' } = (await world.rules.findCurrent()) ?? {};
  const manifest = (await itemsOf(table(), `RULES#${version}`)).find(({ sk }) => sk === 'MANIFEST');
  await table().putAll([{ ...manifest, ...broken }]);
  const { stores, sync } = withoutSales();
  await expect(stores.rules.loadCurrent()).rejects.toThrow();
  expect(await sync()).toBe('saved');
  expect(await stores.rules.loadCurrent()).toMatchObject({ version: 'next' });
  expect(await stores.alerts.load([{ ruleId: 'sales', segment: null }])).toMatchObject([{ state: 'normal' }]);
});

it('a deployment of the same rules replaces an unreadable rule', async () => {
  const world = worldOnTable([sales, views]);
  await world.ticks(2, 5);
  const { version = '' } = (await world.rules.findCurrent()) ?? {};
  await changeStoredRules(table(), version, { sales: LATER });
  const stores = storesIn(table(), silent);
  const clock = new ManualClock(MONDAY + 20 * DAY_MS);
  const again = () =>
    syncRules({ ...ruleSetOf(sales, views), version }, { ...stores, clock, logger: silent });
  expect(await stores.rules.loadCurrent()).toMatchObject({ unreadable: ['sales'] });
  expect(await again()).toBe('saved');
  const current = await stores.rules.loadCurrent();
  expect(current?.rules.map(({ id }) => id)).toEqual(['sales', 'views']);
  expect(await again()).toBe('unchanged');
});

it('the alert of a removed unreadable rule ends even if the index is behind', async () => {
  const world = worldOnTable([sales, views]);
  await world.ticks(2, 5);
  const { version = '' } = (await world.rules.findCurrent()) ?? {};
  await changeStoredRules(table(), version, { sales: LATER });
  const { stores, sync } = withoutSales();
  await sync({ ...stores.alerts, loadOpen: async () => [] });
  expect(await stores.alerts.load([{ ruleId: 'sales', segment: null }])).toMatchObject([{ state: 'normal' }]);
});
