import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { plainOf } from './plain-values.ts';
import { standStill } from './still-world.ts';
import { thrownOf } from './thrown.ts';
import type { Ran, RuleModule } from './typescript-rule-module.ts';

// The thread in which one rule module runs, apart from ours: see `runRuleModule`. It loads as little as it can.
const { url, defineRulesUrl }: RuleModule = workerData;
let failedImport = '';

registerHooks({
  // Known by this name wherever the folder lies, such as outside of the repository or taken from an older commit.
  resolve(specifier, context, nextResolve) {
    if (specifier === 'deltawatch/rules') return { url: defineRulesUrl, shortCircuit: true };
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      failedImport = specifier;
      throw error;
    }
  },
  // Its `import` and `export` are read as such, whatever a package.json around it says.
  load: (at, context, nextLoad) =>
    nextLoad(at, at === url ? { ...context, format: 'module-typescript' } : context),
});
standStill();
parentPort?.postMessage(await ran());

async function ran(): Promise<Ran> {
  try {
    const module: Record<string, unknown> = await import(url);
    if (!Object.hasOwn(module, 'default')) return { kind: 'no-default' };
    const plain = plainOf(module.default);
    return plain.kind === 'plain' ? { kind: 'value', value: plain.value } : plain;
  } catch (error) {
    return { kind: 'threw', specifier: failedImport, ...thrownOf(error) };
  }
}
