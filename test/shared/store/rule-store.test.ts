import { describe, expect, test } from 'vitest';
import { entryOf } from '../../../shared/rules/rule.ts';
import { ConfigError, ConflictError } from '../../../shared/runtime/errors.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { aRule, aRuleSet } from '../../contracts/samples.ts';
import { countUsage } from '../../fixtures/table-usage.ts';
import { crashAfterWrites, recover } from './request-faults.ts';

describe('ruleStoreIn', () => {
  const table = onEmptyTable();

  // Sixty rules take three batches. The manifest and the pointer follow.
  test.each([0, 1, 2, 3, 4])(
    'a crash after %i of five writes leaves the old rules current',
    async (writes) => {
      await ruleStoreIn(table()).save(aRuleSet('v1'));
      crashAfterWrites(table(), writes);
      await expect(ruleStoreIn(table()).save(aRuleSet('v2', 60))).rejects.toThrow('crashed');
      recover(table());

      expect(await ruleStoreIn(table()).loadCurrent()).toEqual(aRuleSet('v1'));
      const half = ruleStoreIn(table()).load('v2');
      if (writes < 4) await expect(half).rejects.toThrow(ConfigError);
      else expect(await half).toEqual(aRuleSet('v2', 60));

      await ruleStoreIn(table()).save(aRuleSet('v2', 60));
      expect(await ruleStoreIn(table()).loadCurrent()).toEqual(aRuleSet('v2', 60));
    },
  );

  test('a rule set is read once per process, the pointer each time', async () => {
    await ruleStoreIn(table()).save(aRuleSet('v1', 60));
    const usage = countUsage(table().client);
    const store = ruleStoreIn(table());
    for (let i = 0; i < 3; i++) await store.loadCurrent();
    for (let i = 0; i < 3; i++) await store.load('v1');
    expect(usage.requests).toEqual({ GetItemCommand: 3, QueryCommand: 1 });
  });

  test('save rejects a deployment that another one overtook', async () => {
    const saves = ['v1', 'v2'].map((version) => ruleStoreIn(table()).save(aRuleSet(version)));
    const outcomes = await Promise.allSettled(saves);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(reasons).toEqual([expect.any(ConflictError)]);
  });

  test('load rejects a rule set that lacks a rule', async () => {
    await table().put({ pk: 'RULES#v1', sk: 'RULE#000000#a', rule: entryOf(aRule('a')) });
    const { routes } = aRuleSet('v1');
    await table().put({ pk: 'RULES#v1', sk: 'MANIFEST', routes, ruleCount: 2 });
    await expect(ruleStoreIn(table()).load('v1')).rejects.toThrow('should have 2 rules and has 1');
  });

  test.each([
    ['earlier', undefined, 'items of form 0, and this version of Deltawatch reads form 2: delete it'],
    [
      'later',
      3,
      'items of form 3, and this version of Deltawatch reads form 2: use the version that wrote them',
    ],
  ])('a table of an %s form is refused by reads and saves', async (_, form, message) => {
    const store = ruleStoreIn(table());
    await store.save(aRuleSet('v1'));
    const current = { pk: 'RULES', sk: 'CURRENT', version: 'v1', sinceAt: null, by: null };
    await table().put({ ...current, ...(form && { form }) });
    await expect(store.loadCurrent()).rejects.toThrow(message);
    await expect(store.save(aRuleSet('v2'))).rejects.toThrow(message);
  });
});
