import { chmodSync } from 'node:fs';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { startVitest } from 'vitest/node';
import { ANSWERS, type Answer, ORDERS, type Order } from './orders.ts';

/** Stryker's runner for Vitest reloads all modules for each mutant, which takes ten times as long. */
class WarmTestRunner implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #orders = new BroadcastChannel(ORDERS);
  readonly #answers = new BroadcastChannel(ANSWERS);

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // Tests must not write missing snapshots.
    process.env.CI = 'true';
    // A test starts a process of another user, which reads the code.
    chmodSync('.', 0o755);
    const isReady = this.#next();
    void startVitest('test', [], {
      config: 'test/mutants/vitest.config.ts',
      watch: false,
      pool: 'threads',
      maxWorkers: 1,
      reporters: [{}],
      onConsoleLog: () => false,
    });
    await isReady;
  }

  async dryRun(): Promise<DryRunResult> {
    const { tests, coverage } = await this.#ask({ kind: 'all' });
    return { status: DryRunStatus.Complete, tests, ...(coverage && { mutantCoverage: coverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, sandboxFileName, testFilter, hitLimit, mutantActivation } = options;
    const { tests, hits } = await this.#ask({
      kind: 'mutant',
      id: activeMutant.id,
      source: sandboxFileName,
      tests: testFilter ?? null,
      isStatic: mutantActivation === 'static',
      hitLimit: hitLimit ?? null,
    });
    return toMutantRunResult(
      determineHitLimitReached(hits, hitLimit) ?? { status: DryRunStatus.Complete, tests },
    );
  }

  async dispose() {
    this.#orders.close();
    this.#answers.close();
  }

  async #ask(order: Order): Promise<Answer> {
    const answered = this.#next();
    this.#orders.postMessage(order);
    return answered;
  }

  async #next(): Promise<Answer> {
    return new Promise((resolve) => {
      this.#answers.onmessage = ({ data }) => resolve(data);
    });
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'warm', WarmTestRunner)];
