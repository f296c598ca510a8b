#!/usr/bin/env node
import module from 'node:module';

// Plain JavaScript for any Node version, so that a wrong version gets a sentence, not a syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `deltawatch runs on Node 24 and found ${process.version}. In a clone, "npm ci" brings Node 24 along (its install ` +
      'script must be allowed to run) and "npx deltawatch" uses it.',
  );
  process.exit(2);
}
// Compiling modules takes half of the startup time.
module.enableCompileCache();
await import('../shared/runtime/type-stripping.js');
await import('./deltawatch.ts');
