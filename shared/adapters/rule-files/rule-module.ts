import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { plainOf } from './plain-values.ts';
import { thrownOf } from './thrown.ts';
import type { Ran, RuleModule } from './typescript-rule-module.ts';

// The thread that evaluates one rule file: see `runRuleModule`.
const { url, defineRulesUrl }: RuleModule = workerData;

registerHooks({
  // Rule files import it by this name, and may lie anywhere, such as in a checkout of an older commit.
  resolve: (specifier, context, nextResolve) =>
    specifier === 'deltawatch/rules'
      ? { url: defineRulesUrl, shortCircuit: true }
      : nextResolve(specifier, context),
  // Otherwise a package.json with "type": "commonjs" beside the file would decide how Node reads it.
  load: (at, context, nextLoad) =>
    nextLoad(at, at === url ? { ...context, format: 'module-typescript' } : context),
});
parentPort?.postMessage(await ran());

async function ran(): Promise<Ran> {
  try {
    const module: Record<string, unknown> = await import(url);
    if (!Object.hasOwn(module, 'default'))
      throw new Error('exports no rules; write "export default defineRules({ … })"');
    return { kind: 'value', value: plainOf(module.default) };
  } catch (error) {
    return { kind: 'threw', ...thrownOf(error) };
  }
}
