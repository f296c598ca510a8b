import { describe, expect, test } from 'vitest';
import { RULE_FORMAT } from '../../../shared/deployments/deployment.ts';
import { ConfigError, ConflictError } from '../../../shared/runtime/errors.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import type { Table } from '../../../shared/store/table.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { ENGINES, onEmptyTable } from '../../contracts/both-stores.ts';
import { watched } from '../../contracts/broken-items.ts';
import { aRuleSet, NOW } from '../../contracts/samples.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { changeStoredRules, opened, packedJson, partItems } from '../../fixtures/stored-rules.ts';
import { countUsage } from '../../fixtures/table-usage.ts';
import { crashAfterWrites, recover } from './request-faults.ts';

const HOURS = ['hour at :05', 'hour at :20'];
const spread = (count: number) => ({
  ...aRuleSet('v1'),
  rules: Array.from({ length: count }, (_, i) => ruleNamed(`rule-${i}`, { every: HOURS[i % 2] ?? '' })),
});

describe.each(ENGINES)('rules in %s', (_, open) => {
  const table = onEmptyTable(open);

  test('are in parts of a hundred under partitions of their own, and a run reads only what it needs', async () => {
    await ruleStoreIn(table()).save(spread(450));
    const parts = await partItems(table(), 'v1');
    expect(new Set(parts.map(({ pk }) => pk)).size).toBe(6);
    const read: unknown[] = [];
    const getAll: Table['getAll'] = (keys) => {
      read.push(...keys);
      return table().getAll(keys);
    };
    const store = ruleStoreIn({ ...table(), getAll });
    expect((await store.loadCurrent({ ids: new Set(['rule-7']) }))?.rules.map(({ id }) => id)).toEqual([
      'rule-7',
    ]);
    expect(read).toHaveLength(1);
    expect((await store.loadCurrent({ cadence: 'minute-5-UTC' }))?.rules).toHaveLength(225);
    expect(read).toHaveLength(4);
    expect((await store.loadCurrent())?.rules).toEqual(spread(450).rules);
    expect(read).toHaveLength(6);
  });

  test('of another version of the code are parsed, and those with unknown keys are not evaluated', async () => {
    const { rules } = spread(4);
    await ruleStoreIn(table()).save(spread(4));
    await changeStoredRules(table(), 'v1', {
      'rule-0': { budget: 'gold' },
      'rule-1': { baseline: { to: 'what an earlier version did' } },
    });
    const { opened, logged } = watched(table());
    const current = await ruleStoreIn(opened).loadCurrent();
    expect(current).toMatchObject({ rules: rules.slice(1), unreadable: ['rule-0'] });
    expect(logged.join()).toMatch(/PART.*rule rule-0: .*budget/);
    await expect(ruleStoreIn(table()).load('v1')).rejects.toThrow(
      /the rule rule-0 in item RULES#v1#.* cannot be read/,
    );
  });

  test('of another format are parsed even if nobody changed them', async () => {
    await ruleStoreIn(table()).save(spread(2));
    const manifest = await table().get({ pk: 'RULES#v1', sk: 'MANIFEST' });
    await table().put({ ...manifest, ruleFormat: RULE_FORMAT + 1 });
    expect(await ruleStoreIn(table()).load('v1')).toEqual(spread(2));
    // The same rules are written again in the own format.
    await ruleStoreIn(table()).save(spread(2));
    expect(await table().get({ pk: 'RULES#v1', sk: 'MANIFEST' })).toMatchObject({ ruleFormat: RULE_FORMAT });
  });

  test('that were replaced are kept for 30 days, for a rollback', async () => {
    const store = ruleStoreIn(table());
    for (const version of ['v1', 'v2']) await store.save({ ...spread(3), version });
    table().clock.advanceTo(NOW + 29 * DAY_MS);
    expect(await ruleStoreIn(table()).load('v1')).toEqual(spread(3));
    table().clock.advanceTo(NOW + 31 * DAY_MS);
    await expect(ruleStoreIn(table()).load('v1')).rejects.toThrow('no rules of version v1');
    expect(await partItems(table(), 'v1')).toEqual([]);
    expect(await ruleStoreIn(table()).loadCurrent()).toMatchObject({ version: 'v2' });
  });

  test('that are current again do not expire', async () => {
    const store = ruleStoreIn(table());
    for (const [day, version] of ['v1', 'v2', 'v1'].entries()) {
      table().clock.advanceTo(NOW + day * DAY_MS);
      await store.save({ ...spread(3), version });
    }
    table().clock.advanceTo(NOW + 400 * DAY_MS);
    expect(await ruleStoreIn(table()).loadCurrent()).toEqual(spread(3));
  });

  test('that became current again while they were being replaced do not expire', async () => {
    const slow = ruleStoreIn({
      ...table(),
      // Between the pointer and the end of what it replaced, another deployment restores it.
      async put(item, ...conditions) {
        await table().put(item, ...conditions);
        if (item.sk !== 'CURRENT') return;
        table().clock.advanceTo(NOW + DAY_MS);
        await ruleStoreIn(table()).save(spread(3), { replacing: 'v2' });
      },
    });
    await ruleStoreIn(table()).save(spread(3));
    await slow.save({ ...spread(3), version: 'v2' });
    table().clock.advanceTo(NOW + 400 * DAY_MS);
    expect(await ruleStoreIn(table()).loadCurrent()).toEqual(spread(3));
  });
});

describe('ruleStoreIn', () => {
  const table = onEmptyTable();

  // The parts and their index take one request. The manifest and the pointer follow.
  test.each([0, 1, 2])('a crash after %i of three writes leaves the old rules current', async (writes) => {
    await ruleStoreIn(table()).save(aRuleSet('v1'));
    crashAfterWrites(table(), writes);
    await expect(ruleStoreIn(table()).save(aRuleSet('v2', 60))).rejects.toThrow('crashed');
    recover(table());

    expect(await ruleStoreIn(table()).loadCurrent()).toEqual(aRuleSet('v1'));
    const half = ruleStoreIn(table()).load('v2');
    if (writes < 2) await expect(half).rejects.toThrow(ConfigError);
    else expect(await half).toEqual(aRuleSet('v2', 60));

    await ruleStoreIn(table()).save(aRuleSet('v2', 60));
    expect(await ruleStoreIn(table()).loadCurrent()).toEqual(aRuleSet('v2', 60));
  });

  test('a rule set is read once per process, the pointer each time', async () => {
    await ruleStoreIn(table()).save(aRuleSet('v1', 60));
    const usage = countUsage(table().client);
    const store = ruleStoreIn(table());
    for (let i = 0; i < 3; i++) await store.loadCurrent();
    for (let i = 0; i < 3; i++) await store.load('v1');
    expect(usage.requests).toEqual({ GetItemCommand: 3, QueryCommand: 1, BatchGetItemCommand: 1 });
  });

  test('save rejects a deployment that another one overtook', async () => {
    const saves = ['v1', 'v2'].map((version) => ruleStoreIn(table()).save(aRuleSet(version)));
    const outcomes = await Promise.allSettled(saves);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(reasons).toEqual([expect.any(ConflictError)]);
  });

  test('load rejects a rule set that lacks a part', async () => {
    await ruleStoreIn(table()).save(spread(3));
    const { pk, parts } = (await table().get({ pk: 'RULES#v1', sk: 'INDEX#0000' })) ?? {};
    const [first] = opened(parts);
    await table().put({ pk, sk: 'INDEX#0000', parts: packedJson([first]) });
    await expect(ruleStoreIn(table()).load('v1')).rejects.toThrow('should have 2 parts and have 1');
  });

  test('100,000 links to lines fit into items of DynamoDB', async () => {
    const line = (i: number) => `https://github.com/acme/rules/blob/main/rules/team-${i % 97}.yaml#L${i * 7}`;
    const links = Array.from({ length: 100_000 }, (_, i) => [`rule-of-a-team-${i}`, line(i)] as const);
    await ruleStoreIn(table()).saveSourceLinks(Object.fromEntries(links));
    for (const i of [0, 5, 99_999])
      expect(await ruleStoreIn(table()).loadSourceLink(`rule-of-a-team-${i}`)).toBe(line(i));
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
