import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { type Path, pathText } from './rule-source.ts';
import { thrownOf } from './thrown-problem.ts';
import type { Ran, RuleModule } from './typescript-rule-files.ts';

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

/**
 * A copy of a value of maps, lists and scalars, without keys whose value is `undefined`. Throws `Error` with the path
 * if the value contains anything else, or itself.
 */
function plainOf(value: unknown, path: Path = [], around: readonly unknown[] = []): unknown {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  if (typeof value !== 'object') return refuse(path, value);
  if (around.includes(value)) throw new Error(`${nameOf(path)} contains itself`);
  const within = [...around, value];
  if (Array.isArray(value)) return value.map((each, i) => plainOf(each, [...path, i], within));
  if (!isMap(value)) return refuse(path, value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      each === undefined ? [] : [[key, plainOf(each, [...path, key], within)]],
    ),
  );
}

function isMap(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function refuse(path: Path, value: unknown): never {
  throw new Error(
    `${nameOf(path)} is ${kindOf(value)}; use only strings, numbers, true, false, lists and maps`,
  );
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the default export' : pathText(path);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  return `a ${typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : typeof value}`;
}
