import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Stage } from '../../shared/config/stage.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { ConfigError, UpstreamError } from '../../shared/runtime/errors.ts';
import { requirePackages } from '../../shared/runtime/optional-packages.ts';
import { interruption } from '../terminal/interruption.ts';

/** The templates and bundles of a stage, ready for CloudFormation. */
export interface Synthesized extends AsyncDisposable {
  /** Prints the differences to what is deployed. Changes nothing. */
  showDifferences(): Promise<void>;
  /** Deploys all stacks, and prints the progress. Throws `UpstreamError` if one fails. */
  deploy(): Promise<void>;
}

/** Throws `ConfigError` if the rules need what the stage lacks. */
export type Synthesize = (stage: Stage, rules: RuleSet) => Promise<Synthesized>;

/** The CDK of the project in `dir`, or of this package. Throws `ConfigError` if it is not installed. */
export function cdkToolkit(dir: string, profile: string | undefined): Synthesize {
  requirePackages('aws-cdk', 'aws-cdk-lib', 'constructs');
  return async (stage, rules) => {
    const folder = await mkdtemp(join(tmpdir(), 'deltawatch-deploy-'));
    const remove = () => rm(folder, { recursive: true });
    const outdir = join(folder, 'cdk.out');
    const run = (...args: string[]) =>
      runCdk(folder, dir, [
        ...args,
        '--app',
        outdir,
        ...(profile === undefined ? [] : ['--profile', profile]),
      ]);
    try {
      await synthesizeTo(outdir, stage, rules);
    } catch (error) {
      await remove();
      throw error;
    }
    return {
      // Without a change set, which would be created in the account before anybody agreed.
      showDifferences: () => run('diff', '--method', 'template'),
      deploy: () => run('deploy', '--all', '--require-approval', 'never'),
      [Symbol.asyncDispose]: remove,
    };
  };
}

async function synthesizeTo(outdir: string, stage: Stage, rules: RuleSet): Promise<void> {
  const { bundlesDir, SHIPPED_BUNDLES } = await import('../../infra/function-bundles.ts');
  const bundles = bundlesDir();
  // A clone has no bundles, or old ones.
  if (basename(bundles) !== SHIPPED_BUNDLES)
    await (await import('../../infra/bundles.ts')).bundleFunctions(bundles);
  const { stageApp } = await import('../../infra/stage-app.ts');
  stageApp({ stages: [stage], rules, bundles, outdir }).app.synth();
}

/** Runs the CDK CLI at this terminal. The working folder decides which `cdk.json` counts: in a new one, none. */
async function runCdk(cwd: string, dir: string, args: string[]): Promise<void> {
  const interrupted = interruption();
  interrupted.throwIfAborted();
  const quiet = ['--no-notices', '--no-version-reporting'];
  const child = spawn(process.execPath, [cdkOf(dir), ...args, ...quiet], { cwd, stdio: 'inherit' });
  // A signal may reach this process alone. It waits until the CDK has ended, and then removes its folder.
  const forward = () => child.kill(interrupted.reason);
  interrupted.addEventListener('abort', forward);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).finally(() => interrupted.removeEventListener('abort', forward));
  interrupted.throwIfAborted();
  if (code !== 0)
    throw new UpstreamError(`"cdk ${args[0]}" failed: its messages are above`, { retryable: false });
}

const binSchema = z.object({ bin: z.object({ cdk: z.string() }) });

/** The path of the command of the package `aws-cdk`. Throws `ConfigError` if it is not installed. */
function cdkOf(dir: string): string {
  for (const from of [join(dir, 'package.json'), import.meta.filename]) {
    const require = createRequire(from);
    try {
      const file = require.resolve('aws-cdk/package.json');
      return join(dirname(file), binSchema.parse(require(file)).bin.cdk);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    }
  }
  throw new ConfigError('the package aws-cdk cannot be found');
}
