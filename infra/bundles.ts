import { copyFile, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { PLOT_FILES } from '../shared/charts/packed-files.ts';
import { PICTURE_FILES } from '../shared/charts/png.ts';
import { FUNCTIONS, type FunctionName } from './function-bundles.ts';

const ROOT = join(import.meta.dirname, '..');

const COMMON = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
} as const satisfies BuildOptions;

const HOLIDAY_CALENDAR = 'shared/time/holiday-calendar.ts';
const HOLIDAYS = 'date-holidays';
const HOLIDAYS_FILE = `${HOLIDAYS}.cjs`;

/** Bundles every function into `<directory>/<function>/index.mjs`. Returns the folders of their packages. */
export async function bundleFunctions(directory: string): Promise<Set<string>> {
  const entryOf = (name: FunctionName) => join(ROOT, 'functions', name, 'handler.ts');
  const bundled = FUNCTIONS.map((name) => bundleHandler(entryOf(name), join(directory, name)));
  return new Set((await Promise.all(bundled)).flatMap((folders) => [...folders]));
}

/** Bundles a module that exports a handler, with what it imports late in files beside it. Returns the same. */
export async function bundleHandler(entry: string, directory: string): Promise<Set<string>> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: { index: entry },
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    // A layer has the native library of the processor that the function runs on.
    external: ['@duckdb/node-bindings-*'],
    plugins: [englishOnly, holidaysApart],
    // CommonJS packages still call `require` for the modules of Node.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  const includes = (module: string) => Object.keys(metafile.inputs).some((input) => input.endsWith(module));
  return new Set([
    ...packageFolders(metafile),
    ...(includes(HOLIDAY_CALENDAR) ? await bundleHolidays(directory) : []),
    ...(includes('shared/charts/png.ts') ? await copyFiles(PICTURE_FILES, directory) : []),
    ...(includes('respond/page/assets.ts') ? await copyFiles(await pageFiles(), directory) : []),
  ]);
}

/** The folders of the packages in a bundle, from the root of the repository. */
function packageFolders({ inputs }: Metafile): Set<string> {
  return new Set(Object.keys(inputs).flatMap((input) => folderOfPackage(input) ?? []));
}

function folderOfPackage(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

/** The module requires this package on first use. */
async function bundleHolidays(directory: string): Promise<Set<string>> {
  const { metafile } = await build({
    ...COMMON,
    stdin: { contents: `module.exports = require('${HOLIDAYS}');`, resolveDir: ROOT },
    outfile: join(directory, HOLIDAYS_FILE),
    format: 'cjs',
  });
  return packageFolders(metafile);
}

/** The scripts of the page. */
async function pageFiles(): Promise<string[]> {
  const folder = join(ROOT, 'functions/respond/browser');
  const own = (await readdir(folder)).filter((name) => /\.(?:js|css)$/.test(name));
  return [...Object.values(PLOT_FILES), ...own.map((name) => join(folder, name))];
}

/** Functions read these files from disk, so they are copied next to the bundle. */
async function copyFiles(names: string[], directory: string): Promise<Set<string>> {
  const { resolve } = createRequire(import.meta.url);
  const files = names.map((name) => resolve(name));
  await Promise.all(files.map((file) => copyFile(file, join(directory, basename(file)))));
  return new Set(files.flatMap((file) => folderOfPackage(relative(ROOT, file)) ?? []));
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

/** The bundle has the public holidays in a file beside it, not in a package. */
const holidaysApart: Plugin = {
  name: 'holidays-apart',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]holiday-calendar\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const name = `import.meta.url)('${HOLIDAYS}')`;
      if (!source.includes(name)) throw new RangeError(`${path} does not require ${HOLIDAYS}`);
      return { contents: source.replace(name, name.replace(HOLIDAYS, `./${HOLIDAYS_FILE}`)), loader: 'ts' };
    });
  },
};
