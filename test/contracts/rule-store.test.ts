import { describe, expect, test } from 'vitest';
import { watchedApps } from '../../shared/alerts/app-alert.ts';
import type { RuleStore, Wanted } from '../../shared/deployments/rule-store.ts';
import { buildRule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import { ConfigError, ConflictError } from '../../shared/runtime/errors.ts';
import { ruleStoreIn } from '../../shared/store/rule-store.ts';
import { ruleNamed } from '../fixtures/builders.ts';
import { changeIfPossible, onEachTable } from './both-stores.ts';
import { aRuleSet } from './samples.ts';

function ruleStoreContract(store: () => RuleStore) {
  test('has no rules before the first deployment', async () => {
    expect(await store().loadCurrent()).toBeUndefined();
    await expect(store().load('v1')).rejects.toThrow(ConfigError);
  });

  test('load returns a rule set as saved, with the order of its rules', async () => {
    const ruleSet = aRuleSet('v1', 60);
    await store().save(ruleSet);
    expect(await store().loadCurrent()).toEqual(ruleSet);
    expect(await store().load('v1')).toEqual(ruleSet);
  });

  test('loadCurrent returns the last saved rule set, and earlier ones stay', async () => {
    await store().save(aRuleSet('v1', 1));
    await store().save(aRuleSet('v2', 0));
    expect(await store().loadCurrent()).toEqual(aRuleSet('v2', 0));
    expect(await store().load('v1')).toEqual(aRuleSet('v1', 1));
  });

  test('save can make an earlier version current again', async () => {
    for (const version of ['v1', 'v2', 'v1']) await store().save(aRuleSet(version));
    expect((await store().loadCurrent())?.version).toBe('v1');
  });

  test('save does not change an existing version', async () => {
    await store().save(aRuleSet('v1', 1));
    await store().save(aRuleSet('v1', 2));
    expect(await store().loadCurrent()).toEqual(aRuleSet('v1', 1));
  });

  test('one of two concurrent deployments is current and complete', async () => {
    await store().save(aRuleSet('v1', 1));
    await Promise.allSettled([store().save(aRuleSet('v2', 30)), store().save(aRuleSet('v3', 40))]);
    const current = await store().loadCurrent();
    expect([aRuleSet('v2', 30), aRuleSet('v3', 40)]).toContainEqual(current);
  });

  test('findCurrent returns who deployed the rules, and when', async () => {
    await store().save(aRuleSet('v1'));
    expect(await store().findCurrent()).toEqual({ version: 'v1', sinceAt: null, by: null });
    await store().save(aRuleSet('v2'), { at: 7, by: 'ada' });
    expect(await store().findCurrent()).toEqual({ version: 'v2', sinceAt: 7, by: 'ada' });
  });

  test('findCurrent returns the deployment of the stack that was saved last', async () => {
    const deployment = {
      ...{ functionName: 'sync-rules', functionVersion: 2, ruleVersion: 'v1' },
      replaced: { version: 'v0', by: 'bo' },
    };
    await store().save(aRuleSet('v1'), { deployment });
    expect(await store().findCurrent()).toEqual({ version: 'v1', sinceAt: null, by: null, deployment });
    const repeated = { ...deployment, functionVersion: 3, replaced: null };
    await store().save(aRuleSet('v1'), { replacing: 'v1', deployment: repeated });
    expect((await store().findCurrent())?.deployment).toEqual(repeated);
  });

  test.each([
    ['a version that is no longer deployed', ['v1', 'v2'], 'v1'],
    ['nothing, although a version is deployed', ['v1', 'v2'], null],
    ['a version, although none is deployed', [], 'v1'],
  ])('save rejects a rule set that replaces %s', async (_, before, replacing) => {
    for (const version of before) await store().save(aRuleSet(version));
    await expect(store().save(aRuleSet('v3'), { replacing })).rejects.toThrow(ConflictError);
    expect((await store().findCurrent())?.version).toBe(before.at(-1));
  });

  test('save accepts a rule set that replaces the deployed version, or nothing', async () => {
    await store().save(aRuleSet('v1'), { replacing: null });
    await store().save(aRuleSet('v2'), { replacing: 'v1' });
    expect(await store().loadCurrent()).toEqual(aRuleSet('v2'));
  });

  test('save of the deployed version again succeeds and changes nothing', async () => {
    await store().save(aRuleSet('v1'));
    await store().save(aRuleSet('v2'), { replacing: 'v1', at: 7, by: 'ada' });
    await store().save(aRuleSet('v2'), { replacing: 'v1', at: 8, by: 'bo' });
    expect(await store().findCurrent()).toEqual({ version: 'v2', sinceAt: 7, by: 'ada' });
  });

  test('keeps the links to lines apart from the rules, as they were saved last', async () => {
    expect(await store().loadSourceLink('orders')).toBeUndefined();
    const links = { orders: 'https://github.com/acme/rules/blob/main/rules/shop.yaml#L12' };
    await store().save({ ...aRuleSet('v1'), sourceLinks: links });
    expect(await store().loadCurrent()).toEqual(aRuleSet('v1'));
    await store().saveSourceLinks(links);
    expect(await store().loadSourceLink('orders')).toBe(links.orders);
    expect(await store().loadSourceLink('sales')).toBeUndefined();
    await store().saveSourceLinks({});
    expect(await store().loadSourceLink('orders')).toBeUndefined();
  });

  describe('of rules in several apps and cadences', () => {
    const entries: { id: string; app: string; all_of?: string[]; [key: string]: unknown }[] = [
      { id: 'a-hourly', app: 'a', every: 'hour at :05' },
      { id: 'b-daily', app: 'b', owner: 'growth', zone: 'Europe/Berlin' },
      { id: 'a-daily', app: 'a', quiet: true },
      { id: 'over', app: 'b', all_of: ['a-hourly', 'b-daily'] },
    ];
    const shared = { title: 'Sales', owner: 'shop', every: 'day at 01:00' };
    const rules = entries.map(({ id, ...entry }) =>
      entry.all_of
        ? buildRule(ruleSetEntrySchema.parse({ id, ...shared, ...entry }))
        : ruleNamed(id, { ...shared, ...entry }),
    );
    const { routes } = aRuleSet('v1');
    const load = async (wanted?: Wanted) => {
      await store().save({ version: 'v1', rules, routes });
      const loaded = await store().loadCurrent(wanted);
      return { ids: loaded?.rules.map(({ id }) => id), apps: loaded?.apps, routes: loaded?.routes };
    };

    test('the whole set keeps the order of its rules', async () => {
      expect((await load()).ids).toEqual(entries.map(({ id }) => id));
    });

    test.each<[string, Wanted, string[]]>([
      ['of a cadence', { cadence: 'minute-5-UTC' }, ['a-hourly']],
      ['of an app', { app: 'a' }, ['a-hourly', 'a-daily']],
      ['with ids', { ids: new Set(['a-daily', 'unknown']) }, ['a-daily']],
      ['with the id of a rule over rules', { ids: new Set(['over']) }, ['a-hourly', 'b-daily', 'over']],
      ['of an unknown app', { app: 'c' }, []],
    ])('only the rules %s are loaded, with the routes and what all apps share', async (_, wanted, ids) => {
      const some = await load(wanted);
      expect(some.ids).toEqual(ids);
      expect(some.routes).toEqual(routes);
      expect(some.apps).toEqual(watchedApps(rules));
    });
  });

  test('changes of loaded rules do not change the store', async () => {
    await store().save(aRuleSet('v1'));
    const loaded = await store().load('v1');
    changeIfPossible(() => loaded.rules.pop());
    expect(await store().load('v1')).toEqual(aRuleSet('v1'));
  });
}

describe('RuleStore', () => {
  onEachTable(ruleStoreIn, ruleStoreContract);
});
