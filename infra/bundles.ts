import { copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { PICTURE_FILES } from '../shared/pictures/png.ts';

export const FUNCTIONS = [
  ...(['plan-checks', 'check-rules', 'notify', 'respond'] as const),
  ...(['sync-rules', 'data-access'] as const),
] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

const ROOT = join(import.meta.dirname, '..');

/** Bundles every function for Lambda: `<directory>/<function>/index.mjs`, and the files that it needs. */
export async function bundleFunctions(directory: string): Promise<void> {
  const entryOf = (name: FunctionName) => join(ROOT, 'functions', name, 'handler.ts');
  await Promise.all(FUNCTIONS.map((name) => bundleHandler(entryOf(name), join(directory, name))));
}

/** Bundles a module that exports a handler into `<directory>/index.mjs`. */
export async function bundleHandler(entry: string, directory: string): Promise<void> {
  const { metafile } = await build({
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
    metafile: true,
    plugins: [englishOnly],
    // CommonJS packages still call `require` for the modules of Node.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  if (Object.keys(metafile.inputs).some((input) => input.endsWith('shared/pictures/png.ts')))
    await copyPictureFiles(directory);
}

/** Drawing reads these files from disk, so they are copied next to the bundle. */
async function copyPictureFiles(directory: string): Promise<void> {
  const { resolve } = createRequire(import.meta.url);
  await Promise.all(PICTURE_FILES.map((name) => copyFile(resolve(name), join(directory, basename(name)))));
}

/** Zod's messages in some fifty languages are a quarter of a bundle, and of every cold start. */
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
