import { beforeEach, describe, expect, test } from 'vitest';
import { deployRules, planRules } from '../../../cli/deploy/deployed-rules.ts';
import { planLines } from '../../../cli/deploy/deployment-plan.ts';
import type { Installation } from '../../../local/installation.ts';
import { terminalLogger } from '../../../local/terminal.ts';
import { deploymentFor } from '../../../shared/deployments/deployment.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ConfigError, ConflictError } from '../../../shared/runtime/errors.ts';
import { deploymentStoreIn } from '../../../shared/store/deployment-store.ts';
import { ruleStoreIn } from '../../../shared/store/rule-store.ts';
import { storesIn } from '../../../shared/store/stores.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { ROUTES, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { changeStoredRules } from '../../fixtures/stored-rules.ts';
import { firing, NOW } from '../../functions/respond/desk.ts';

const sales = ruleNamed('sales');
const carts = ruleNamed('carts');
const before = ruleSetOf(sales, carts);
const after = { ...ruleSetOf(ruleNamed('sales', { fire: { change: { below: '-40%' } } })), version: 'v2' };
const STACK = 'deltawatch-staging-alerting';

const table = onEmptyTable();
const clock = new ManualClock(NOW);
const by = { by: 'ada', clock };
let local: Installation;
let aws: Installation;
beforeEach(() => {
  const stores = storesIn(table(), terminalLogger);
  const close = async () => {};
  local = { kind: 'local', isRunning: true, stores, table: table(), description: 'this machine', close };
  aws = { ...local, kind: 'aws', description: 'the table t' };
});

test('a plan lists the open alerts that a deployment affects, and changes nothing', async () => {
  const { stores } = local;
  await stores.rules.save(before, { at: NOW - HOUR_MS, by: 'bo' });
  for (const rule of [sales, carts]) await stores.alerts.save(firing(rule, { segment: 'DE' }));
  const plan = await planRules(after, local);
  const open = [{ segment: 'DE', state: 'firing', since: expect.stringContaining('2026-03-0') }];
  expect(plan).toMatchObject({
    from: { version: 'v1', since: new Date(NOW - HOUR_MS).toISOString(), by: 'bo' },
    to: 'v2',
    changes: true,
    rules: [
      { name: 'sales', change: 'changed', startsOver: true, open },
      { name: 'carts', change: 'removed', open },
    ],
    missing: [],
  });
  expect((await stores.rules.findCurrent())?.version).toBe('v1');
});

test('deploys the planned rules, records who and when, and ends alerts of removed rules', async () => {
  await local.stores.rules.save(before);
  await local.stores.alerts.save(firing(carts));
  const plan = await planRules(after, local);
  expect(await deployRules(after, plan, local, by)).toBe('saved');
  expect(await local.stores.rules.findCurrent()).toEqual({ version: 'v2', sinceAt: NOW, by: 'ada' });
  expect(await local.stores.alerts.loadOfRule('carts')).toMatchObject([{ state: 'normal' }]);
  expect(await planRules(after, local)).toMatchObject({ changes: false });
});

test.each([
  ['other rules', { ...ruleSetOf(carts), version: 'v3' }],
  ['the first rules', before],
])('deploys nothing if somebody deployed %s after the plan', async (_, theirs) => {
  if (theirs !== before) await local.stores.rules.save(before);
  const plan = await planRules(after, local);
  await local.stores.rules.save(theirs);
  const late = deployRules(after, plan, local, by);
  await expect(late).rejects.toThrow(ConflictError);
  await expect(late).rejects.toThrow(/other rules were deployed in the meantime.*plan again/);
  expect(await local.stores.rules.loadCurrent()).toEqual(theirs);
});

test('replaces deployed rules that this version cannot read', async () => {
  await local.stores.rules.save(before);
  await local.stores.alerts.save(firing(carts));
  await local.stores.rules.save({ ...ruleSetOf(sales), version: 'newer' });
  await changeStoredRules(table(), 'newer', { sales: { budget: 'gold' } });
  await expect(ruleStoreIn(table()).load('newer')).rejects.toThrow(
    /rule sales in item RULES#newer.* the version of Deltawatch that wrote it/,
  );
  expect(await local.stores.rules.loadCurrent()).toMatchObject({ rules: [], unreadable: ['sales'] });

  const plan = await planRules(after, local);
  expect(planLines(plan).join('\n')).toMatch(
    /^The deployed rules cannot be read\n {2}the rule sales in item RULES#newer/,
  );
  expect(await deployRules(after, plan, local, by)).toBe('saved');
  expect(await local.stores.rules.loadCurrent()).toEqual(after);
  expect(await local.stores.alerts.loadOfRule('carts')).toMatchObject([{ state: 'normal' }]);
});

test('two simultaneous deployments of the same rules both succeed', async () => {
  await local.stores.rules.save(before);
  await local.stores.alerts.save(firing(carts));
  const plan = await planRules(after, local);
  const { rules } = local.stores;
  const findCurrent = async () => {
    const found = await rules.findCurrent();
    await rules.save(after, { replacing: before.version });
    return found;
  };
  const late = { ...local, stores: { ...local.stores, rules: { ...rules, findCurrent } } };
  expect(await deployRules(after, plan, late, by)).toBe('saved');
  expect(await local.stores.alerts.loadOfRule('carts')).toMatchObject([{ state: 'normal' }]);
});

describe('in AWS', () => {
  test('refuses to plan for a stage without a recorded deployment', async () => {
    await expect(planRules(after, aws)).rejects.toThrow(ConfigError);
    await expect(planRules(after, local)).resolves.toBeDefined();
  });

  test('refuses rules that need a schedule removed after the plan', async () => {
    const both = ruleSetOf(sales, ruleNamed('hourly', { every: 'hour at :20' }));
    const deployments = deploymentStoreIn(table());
    await deployments.save(deploymentFor(both, { stack: STACK, hasButtons: false }));
    const plan = await planRules(both, aws);
    await deployments.save(deploymentFor(before, { stack: STACK, hasButtons: false }));
    await expect(deployRules(both, plan, aws, by)).rejects.toThrow('minute-20-UTC, for hourly');
    expect(await aws.stores.rules.findCurrent()).toBeUndefined();
  });

  test('refuses rules in a newer format until the code is deployed', async () => {
    const deployed = deploymentFor(before, { stack: STACK, hasButtons: false });
    await deploymentStoreIn(table()).save({ ...deployed, ruleFormat: 0 });
    const refused = deployRules(after, await planRules(after, aws), aws, by);
    await expect(refused).rejects.toThrow(/this version of Deltawatch: .* cannot read/);
    await expect(refused).rejects.toThrow('npx deltawatch deploy staging');
  });

  test.each([
    ['a cadence', [ruleNamed('sales', { every: 'hour at :20' })], ROUTES, 'minute-20-UTC, for sales'],
    [
      'a secret',
      [sales],
      { ...ROUTES, channels: { team: { slack: { webhook_secret: 'new' } } } },
      'secret new, for the channel team',
    ],
    [
      'a target',
      [sales],
      { ...ROUTES, channels: { ...ROUTES.channels, bus: { eventbridge: { bus: 'company' } } } },
      'send to company, for the channel bus',
    ],
  ])(
    'refuses %s that is not deployed, and names the command to deploy it',
    async (_, rules, routes, name) => {
      await deploymentStoreIn(table()).save(deploymentFor(before, { stack: STACK, hasButtons: false }));
      const requested = { version: 'v2', rules, routes };
      const plan = await planRules(requested, aws);
      const refused = deployRules(requested, plan, aws, by);
      await expect(refused).rejects.toThrow(name);
      await expect(refused).rejects.toThrow('npx deltawatch deploy staging');
      expect(await aws.stores.rules.findCurrent()).toBeUndefined();
    },
  );
});
