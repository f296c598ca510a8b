import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { plainOf } from './plain-values.ts';
import { thrownOf } from './thrown.ts';
import type { Ran, RuleModule } from './typescript-rule-module.ts';

// The thread that evaluates one rule file: see `runRuleModule`.
const { url, defineRulesUrl }: RuleModule = workerData;

registerHooks({
  // Rule files may be outside this repository, so their import is resolved here.
  resolve: (specifier, context, nextResolve) =>
    specifier === 'deltawatch/rules'
      ? { url: defineRulesUrl, shortCircuit: true }
      : nextResolve(specifier, context),
  // Overrides a package.json with "type": "commonjs" beside the file.
  load: (at, context, nextLoad) =>
    nextLoad(at, at === url ? { ...context, format: 'module-typescript' } : context),
});
parentPort?.postMessage(await ran());

async function ran(): Promise<Ran> {
  try {
    const module: Record<string, unknown> = await import(url);
    if (!Object.hasOwn(module, 'default'))
      throw new Error('has no default export; write "export default defineRules({ … })"');
    return { kind: 'value', value: plainOf(module.default) };
  } catch (error) {
    return { kind: 'threw', ...thrownOf(error) };
  }
}
