#!/usr/bin/env node
import module from 'node:module';

// Plain JavaScript for any Node version, so that a wrong version gets a sentence, not a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || major === 23 || (major === 22 && minor < 18)) {
  console.error(
    `deltawatch needs Node 22.18 or Node 24, or newer, and found ${process.version}. In a clone, "npm ci" brings ` +
      'Node 24 along (its install script must be allowed to run) and "npx deltawatch" uses it.',
  );
  process.exit(2);
}
// Compiling modules takes half of the startup time.
module.enableCompileCache();
await import('./deltawatch.ts');
