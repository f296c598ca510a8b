import { describe, expect, test } from 'vitest';
import { dynamodbRuleStore } from '../../shared/adapters/dynamodb/rule-store.ts';
import { inMemoryRuleStore } from '../../shared/adapters/in-memory/stores.ts';
import type { RuleStore } from '../../shared/alerting/deployments/rule-store.ts';
import { ConfigError, ConflictError } from '../../shared/runtime/errors.ts';
import { changeIfPossible, onBothStores } from './both-stores.ts';
import { aRuleSet } from './samples.ts';

function ruleStoreContract(store: () => RuleStore) {
  test('before the first deployment there are no rules', async () => {
    expect(await store().loadCurrent()).toBeUndefined();
    await expect(store().load('v1')).rejects.toThrow(ConfigError);
  });

  test('a rule set comes back as it was saved, its rules in their order', async () => {
    const ruleSet = aRuleSet('v1', 60);
    await store().save(ruleSet);
    expect(await store().loadCurrent()).toEqual(ruleSet);
    expect(await store().load('v1')).toEqual(ruleSet);
  });

  test('the last one saved is current, and earlier ones stay', async () => {
    await store().save(aRuleSet('v1', 1));
    await store().save(aRuleSet('v2', 0));
    expect(await store().loadCurrent()).toEqual(aRuleSet('v2', 0));
    expect(await store().load('v1')).toEqual(aRuleSet('v1', 1));
  });

  test('an earlier version can be made current again', async () => {
    for (const version of ['v1', 'v2', 'v1']) await store().save(aRuleSet(version));
    expect((await store().loadCurrent())?.version).toBe('v1');
  });

  test('a version never changes', async () => {
    await store().save(aRuleSet('v1', 1));
    await store().save(aRuleSet('v1', 2));
    expect(await store().loadCurrent()).toEqual(aRuleSet('v1', 1));
  });

  test('of two deployments at once, one is current and whole', async () => {
    await store().save(aRuleSet('v1', 1));
    await Promise.allSettled([store().save(aRuleSet('v2', 30)), store().save(aRuleSet('v3', 40))]);
    const current = await store().loadCurrent();
    expect([aRuleSet('v2', 30), aRuleSet('v3', 40)]).toContainEqual(current);
  });

  test('who put it in force, and when, is known of the current one', async () => {
    await store().save(aRuleSet('v1'));
    expect(await store().findCurrent()).toEqual({ version: 'v1', sinceAt: null, by: null });
    await store().save(aRuleSet('v2'), { at: 7, by: 'ada' });
    expect(await store().findCurrent()).toEqual({ version: 'v2', sinceAt: 7, by: 'ada' });
  });

  test.each([
    ['what is not in force any more', ['v1', 'v2'], 'v1'],
    ['nothing, where something is in force', ['v1', 'v2'], null],
    ['something, where nothing is in force', [], 'v1'],
  ])('a set that is to replace %s changes nothing', async (_, before, replacing) => {
    for (const version of before) await store().save(aRuleSet(version));
    await expect(store().save(aRuleSet('v3'), { replacing })).rejects.toThrow(ConflictError);
    expect((await store().findCurrent())?.version).toBe(before.at(-1));
  });

  test('a set that is to replace what is in force, or nothing, does', async () => {
    await store().save(aRuleSet('v1'), { replacing: null });
    await store().save(aRuleSet('v2'), { replacing: 'v1' });
    expect(await store().loadCurrent()).toEqual(aRuleSet('v2'));
  });

  test('a set that is in force is where it should be, whatever it was to replace', async () => {
    await store().save(aRuleSet('v1'));
    await store().save(aRuleSet('v2'), { replacing: 'v1', at: 7, by: 'ada' });
    await store().save(aRuleSet('v2'), { replacing: 'v1', at: 8, by: 'bo' });
    expect(await store().findCurrent()).toEqual({ version: 'v2', sinceAt: 7, by: 'ada' });
  });

  test('no change of what was loaded changes what is stored', async () => {
    await store().save(aRuleSet('v1'));
    const loaded = await store().load('v1');
    changeIfPossible(() => loaded.rules.pop());
    expect(await store().load('v1')).toEqual(aRuleSet('v1'));
  });
}

describe('RuleStore', () => {
  onBothStores({ inMemory: inMemoryRuleStore, dynamodb: dynamodbRuleStore }, ruleStoreContract);
});
