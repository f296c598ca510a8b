import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { syncDeployment } from '../../../functions/sync-rules/sync-deployment.ts';
import { type SyncDeps, syncRules } from '../../../functions/sync-rules/sync-rules.ts';
import { type Deployment, deploymentFor } from '../../../shared/deployments/deployment.ts';
import type { RuleSet } from '../../../shared/deployments/rule-store.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { ROUTES, ruleNamed } from '../../fixtures/builders.ts';
import { NOW } from '../respond/desk.ts';

const ruleSet = (version: string): RuleSet => ({
  version,
  rules: [ruleNamed(`orders-${version}`)],
  routes: ROUTES,
});

type Step =
  | { kind: 'apply'; rules: string }
  /** Deletes the stack and creates it again: Lambda counts the versions of the new function from 1. */
  | { kind: 'recreate' }
  | {
      kind: 'deploy';
      rules: string;
      /** When the update of the stack fails and is rolled back: before or after sync-rules ran. */
      fails?: 'before' | 'after' | undefined;
      /** Rules that somebody applies before the update ends. */
      applied?: string | undefined;
      /** CloudFormation calls each custom resource twice. */
      twice?: boolean | undefined;
      /** The first call ends before this write, and is repeated. */
      crashAt?: number | undefined;
    };

class Crash extends Error {}

/** The stage under test, driven like CloudFormation does. */
function aStage() {
  const stores = inMemoryStores();
  const clock = new ManualClock(NOW);
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const deps: SyncDeps = { ...stores, clock, logger };
  let resources: Deployment | undefined;
  let functions = 1;
  let published = 0;
  let live: { rules: string; version: number } | undefined;

  const sync = async (deployed: { rules: string; version: number }, crashAt?: number) => {
    let writes = 0;
    const write = <T>(done: () => Promise<T>): Promise<T> => {
      if (writes++ === crashAt) throw new Crash();
      return done();
    };
    const about = { stack: 'deltawatch-live-alerting', hasButtons: false };
    const run = {
      functionName: `sync-rules-${functions}`,
      functionVersion: deployed.version,
      resources: deploymentFor(ruleSet(deployed.rules), about),
    };
    await syncDeployment(ruleSet(deployed.rules), run, {
      ...deps,
      rules: { ...stores.rules, save: (...args) => write(() => stores.rules.save(...args)) },
      deployments: {
        save: (made) =>
          write(async () => {
            resources = made;
          }),
      },
    });
  };

  const apply = async (rules: string, by = 'ada') => {
    const replacing = (await stores.rules.findCurrent())?.version ?? null;
    await syncRules(ruleSet(rules), deps, { replacing, by });
  };

  return {
    ...stores,
    apply,
    resources: () => resources,
    current: () => stores.rules.findCurrent(),
    recreate() {
      functions += 1;
      published = 0;
      live = undefined;
    },
    async deploy({ rules, fails, applied, twice, crashAt }: Omit<Step & { kind: 'deploy' }, 'kind'>) {
      const before = live;
      // With the same rules, this is new code.
      published += 1;
      const next = { rules, version: published };
      if (fails !== 'before') {
        await sync(next, crashAt).catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error;
          return sync(next);
        });
        if (twice) await sync(next);
      }
      if (applied !== undefined) await apply(applied);
      if (fails === undefined) live = next;
      else if (before) {
        await sync(before);
        if (twice) await sync(before);
      } else this.recreate();
    },
  };
}

const rules = fc.constantFrom('v1', 'v2', 'v3');
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('apply' as const), rules }),
    fc.record({ kind: fc.constant('recreate' as const) }),
    fc.record({
      kind: fc.constant('deploy' as const),
      rules,
      fails: fc.option(fc.constantFrom('before' as const, 'after' as const), { nil: undefined }),
      applied: fc.option(rules, { nil: undefined }),
      twice: fc.boolean(),
      crashAt: fc.option(fc.nat(3), { nil: undefined }),
    }),
  ),
  { maxLength: 8 },
);

test('only a successful deployment of other rules replaces the active rules', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all: Step[]) => {
      const stage = aStage();
      let active: string | undefined;
      /** The rules of the last deployment that was not rolled back. */
      let brought: string | undefined;
      let isLive = false;
      for (const step of all) {
        if (step.kind === 'recreate') {
          stage.recreate();
          isLive = false;
        } else if (step.kind === 'apply') {
          await stage.apply(step.rules);
          active = step.rules;
        } else {
          await stage.deploy(step);
          const { rules, fails, applied } = step;
          const during = fails !== 'before' && rules !== brought ? rules : active;
          // Without an earlier deployment, CloudFormation deletes the stack and calls nothing.
          const stays = fails === undefined || (fails === 'after' && !isLive);
          if (stays) {
            active = during;
            brought = rules;
          }
          if (fails === undefined) isLive = true;
          // Applying what is active changes nothing, so it is not a decision against a rollback.
          if (applied !== undefined && applied !== during) active = applied;
        }
        expect((await stage.current())?.version).toBe(active);
      }
    }),
    { numRuns: 300, seed: 1 },
  );
});

test('a rollback names who applied the restored rules, and records the resources of the earlier deployment', async () => {
  const stage = aStage();
  await stage.deploy({ rules: 'v1' });
  await stage.apply('v2', 'bo');
  await stage.deploy({ rules: 'v3', fails: 'after' });
  expect(await stage.current()).toMatchObject({ version: 'v2', by: 'bo' });
  expect(stage.resources()).toMatchObject({ secrets: ['slack-webhook'] });
});

test('a deployment refuses to keep applied rules whose buttons it would not answer', async () => {
  const { rules, ...stores } = inMemoryStores();
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const saved: Deployment[] = [];
  const deployments = { save: async (made: Deployment) => void saved.push(made) };
  const deps = { ...stores, rules, deployments, logger, clock: new ManualClock(NOW) };
  const deployed = ruleSet('v1');
  const deploy = (functionVersion: number, hasButtons: boolean) => {
    const resources = deploymentFor(deployed, { stack: 'deltawatch-live-alerting', hasButtons });
    return syncDeployment(deployed, { functionName: 'sync-rules', functionVersion, resources }, deps);
  };
  await deploy(1, true);
  const team = { slack: { webhook_secret: 'slack-webhook', interactive: true } };
  const withButtons = { ...ruleSet('v2'), routes: { ...ROUTES, channels: { ...ROUTES.channels, team } } };
  await syncRules(withButtons, deps, { by: 'ada' });
  await expect(deploy(2, false)).rejects.toThrow(
    /does not set up \(buttons team\): deploy the rules that are active/,
  );
  expect(await rules.findCurrent()).toMatchObject({ version: 'v2', by: 'ada' });
  // The rollback changes nothing, and does not fail.
  await deploy(1, true);
  expect(await rules.findCurrent()).toMatchObject({ version: 'v2', by: 'ada' });
  expect(saved).toHaveLength(2);
});

describe('rules that are applied between the decision and the write', () => {
  /** A call of version 2, deployed or rolled back, during which somebody applies v3. */
  async function interrupted(stage: ReturnType<typeof aStage>, functionVersion: number, brought: string) {
    const { rules } = stage;
    let isFirst = true;
    const findCurrent = async () => {
      const found = await rules.findCurrent();
      if (isFirst) await stage.apply('v3');
      isFirst = false;
      return found;
    };
    const about = { stack: 'deltawatch-live-alerting', hasButtons: false };
    const resources = deploymentFor(ruleSet(brought), about);
    const deps = {
      ...{
        alerts: stage.alerts,
        audit: stage.audit,
        clock: new ManualClock(NOW),
        deployments: { save: async () => {} },
      },
      logger: { info: () => {}, warn: () => {}, error: () => {} },
      rules: { ...rules, findCurrent },
    };
    await syncDeployment(
      ruleSet(brought),
      { functionName: 'sync-rules-1', functionVersion, resources },
      deps,
    );
  }

  test('fail a deployment, and stay', async () => {
    const stage = aStage();
    await stage.deploy({ rules: 'v1' });
    await expect(interrupted(stage, 2, 'v2')).rejects.toThrow(
      'other rules were applied during this deployment: deploy again',
    );
    expect((await stage.current())?.version).toBe('v3');
  });

  test('stay after a rollback, which succeeds', async () => {
    const stage = aStage();
    await stage.deploy({ rules: 'v1' });
    await stage.deploy({ rules: 'v2' });
    await interrupted(stage, 1, 'v1');
    expect((await stage.current())?.version).toBe('v3');
  });
});
