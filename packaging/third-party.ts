import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { packageFolders } from '../infra/bundles.ts';

/**
 * Rewrites compiled modules of `folder` so that they contain the packages that match. Returns the folders of these
 * packages.
 */
export async function inlinePackages(
  folder: string,
  { modules, packages }: { modules: readonly string[]; packages: RegExp },
): Promise<Set<string>> {
  const { metafile } = await build({
    entryPoints: modules.map((name) => join(folder, name)),
    outdir: folder,
    outbase: folder,
    bundle: true,
    platform: 'node',
    target: 'node22.18',
    format: 'esm',
    splitting: true,
    chunkNames: 'shared/statistics/[name]-[hash]',
    sourcemap: true,
    allowOverwrite: true,
    logLevel: 'warning',
    metafile: true,
    plugins: [
      {
        name: 'others-stay-imported',
        setup({ onResolve }) {
          onResolve({ filter: /.*/ }, ({ kind, path, importer }) =>
            kind === 'entry-point' || packages.test(path) || importer.includes('node_modules')
              ? undefined
              : { path, external: true },
          );
        },
      },
    ],
  });
  return packageFolders(metafile);
}

const packageSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The licences of packages whose code the package contains, by their folders. Each text is there once. */
export async function noticesOf(folders: readonly string[]): Promise<string> {
  const notices = await Promise.all([...new Set(folders)].sort().map(noticeOf));
  const sections = [...Map.groupBy(notices, ({ text }) => text)].map(([text, those]) =>
    [...those.map(({ name }) => `## ${name}`), '', text].join('\n'),
  );
  return `Deltawatch contains code of these packages.\n\n${sections.join('\n\n')}\n`;
}

async function noticeOf(folder: string): Promise<{ name: string; text: string }> {
  const file = await readFile(join(folder, 'package.json'), 'utf8');
  const { name, version, license } = packageSchema.parse(JSON.parse(file));
  const files = (await readdir(folder)).filter((each) => /^(licen[cs]e|notice)/i.test(each)).sort();
  const texts = await Promise.all(files.map((each) => readFile(join(folder, each), 'utf8')));
  const text = texts.map((each) => each.trim()).join('\n\n');
  return { name: `${name} ${version} (${license})`, text };
}
