import { join } from 'node:path';
import { build } from 'esbuild';
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
