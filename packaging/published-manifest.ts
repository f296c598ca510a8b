import * as z from 'zod';

/** What the package keeps of the repository's package.json. */
const manifestSchema = z.object({
  ...{ name: z.string(), version: z.string(), description: z.string(), license: z.string() },
  keywords: z.array(z.string()),
  /** The package can be packed and installed, but npm refuses to publish it. */
  private: z.literal(true),
  type: z.literal('module'),
  engines: z.object({ node: z.string() }),
  exports: z.record(z.string(), z.string().regex(/^\.\/.*\.ts$/)),
  bin: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  /** What "start" needs; npm leaves it out with --omit=optional. */
  optionalDependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.literal(true) })),
});

/** The package.json of the package, from that of the repository: the same exports, compiled, with their types. */
export function publishedManifest(repository: unknown) {
  const { exports, ...manifest } = manifestSchema.parse(repository);
  const compiled = Object.entries(exports).map(([name, source]) => {
    const path = source.slice(0, -'.ts'.length);
    return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return { ...manifest, exports: { ...Object.fromEntries(compiled), './package.json': './package.json' } };
}
