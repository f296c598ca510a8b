import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export const FUNCTIONS = ['plan-checks', 'check-rules', 'announce', 'sync-rules', 'data-access'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

const ROOT = join(import.meta.dirname, '..');

/** Bundles every function for Lambda, `<directory>/<function>/index.mjs` with all that it needs. */
export async function bundleFunctions(directory: string): Promise<void> {
  const entryOf = (name: FunctionName) => join(ROOT, 'functions', name, 'handler.ts');
  await Promise.all(FUNCTIONS.map((name) => bundleHandler(entryOf(name), join(directory, name))));
}

/** Bundles one module with a handler into `<directory>/index.mjs`. */
export async function bundleHandler(entry: string, directory: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile: join(directory, 'index.mjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [englishOnly],
    // Packages in CommonJS form still call `require` for Node's own modules.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
}

/** Zod brings its messages in some fifty languages: a quarter of a bundle, and of every cold start. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    const zod = dirname(createRequire(import.meta.url).resolve('zod/package.json'));
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: join(zod, 'v4', 'locales'),
    }));
  },
};
