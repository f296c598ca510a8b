#!/usr/bin/env node
import module from 'node:module';

// Plain JavaScript that any Node reads, so that a wrong runtime is told in a sentence and not as a syntax error.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `deltawatch runs on Node 24 and found ${process.version}. In a clone, "npm ci" brings Node 24 along (its install ` +
      'script must be allowed to run) and "npx deltawatch" uses it.',
  );
  process.exit(2);
}
// Half of the time that a command takes to begin is spent on compiling its modules.
module.enableCompileCache();
await import('../shared/runtime/type-stripping.js');
await import('./deltawatch.ts');
