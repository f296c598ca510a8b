import { describe, expect, test } from 'vitest';
import { inMemoryRuleStore } from '../../local/replay/in-memory-stores.ts';
import { dynamodbRuleStore } from '../../shared/adapters/dynamodb-rule-store.ts';
import type { RuleStore } from '../../shared/alerting/ports.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { onBothStores } from './both-stores.ts';
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

  test('what was loaded can be changed without changing what is stored', async () => {
    await store().save(aRuleSet('v1'));
    (await store().load('v1')).rules.pop();
    expect(await store().load('v1')).toEqual(aRuleSet('v1'));
  });
}

describe('RuleStore', () => {
  onBothStores({ inMemory: inMemoryRuleStore, dynamodb: dynamodbRuleStore }, ruleStoreContract);
});
