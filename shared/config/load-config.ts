import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { dirname, join, parse, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatProblems } from '../rule-files/file-problems.ts';
import { check } from '../rule-files/rule-faults.ts';
import { faultLines } from '../rule-files/rule-source.ts';
import { thrownOf, thrownProblem } from '../rule-files/thrown-problem.ts';
import { ConfigError } from '../runtime/errors.ts';
import { type Config, configSchema, DEFAULT_CONFIG } from './config.ts';

/** The configuration of a repository, and its folder. */
export interface Project {
  /** Absolute; paths of the configuration are relative to it. */
  dir: string;
  /** The path of the file. `undefined` if the repository has no file; then `config` has the defaults. */
  file: string | undefined;
  config: Config;
}

const NAMES = ['deltawatch.config.ts', 'deltawatch.config.js', 'deltawatch.config.mjs'];

// Compiled in the package.
const ENDING = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const DEFINE_CONFIG = new URL(`./config.${ENDING}`, import.meta.url).href;

const LOADER = new URL('.', import.meta.url).href;

/**
 * Loads the configuration of `from` or the nearest folder above it that has one. Without a file, the folder is `from` and
 * all settings have their defaults. Throws `ConfigError` with every problem.
 */
export async function loadProject(from: string): Promise<Project> {
  const file = findUpward(resolve(from));
  if (file === undefined) return { dir: resolve(from), file, config: DEFAULT_CONFIG };
  return { dir: dirname(file), file, config: await readConfig(file, resolve(from)) };
}

function findUpward(dir: string): string | undefined {
  for (const name of NAMES) {
    const path = join(dir, name);
    if (existsSync(path)) return path;
  }
  return dir === parse(dir).root ? undefined : findUpward(dirname(dir));
}

async function readConfig(file: string, from: string): Promise<Config> {
  const checked = check(configSchema, await defaultExport(file, from));
  if (checked.kind === 'valid') return checked.value;
  throw new ConfigError(`${file} is not valid\n${faultLines(checked.faults)}`);
}

async function defaultExport(file: string, from: string): Promise<unknown> {
  const url = pathToFileURL(file).href;
  const hooks = registerHooks({
    // A repository that has not installed Deltawatch, but uses the command, has no such package.
    resolve: (specifier, context, nextResolve) =>
      specifier === 'deltawatch/config'
        ? { url: DEFINE_CONFIG, shortCircuit: true }
        : nextResolve(specifier, context),
    // Overrides a package.json with "type": "commonjs" beside the file, which "npm init" writes. JavaScript is valid
    // TypeScript, and only errors in TypeScript have a line.
    load: (at, context, nextLoad) =>
      nextLoad(at, at === url ? { ...context, format: 'module-typescript' } : context),
  });
  try {
    const module: Record<string, unknown> = await import(url);
    if (!Object.hasOwn(module, 'default'))
      throw new ConfigError(`${file} has no default export: write "export default defineConfig({ … })"`);
    return module.default;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const text = await readFile(file, 'utf8');
    const loaded = { path: file, text, shown: (path: string) => relative(from, path) };
    const problem = thrownProblem(thrownOf(error), loaded, LOADER);
    throw new ConfigError(`${file} cannot be loaded\n\n${formatProblems([problem])}`, { cause: error });
  } finally {
    hooks.deregister();
  }
}
