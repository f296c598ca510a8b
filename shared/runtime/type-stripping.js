// Node strips types from TypeScript files, but not below node_modules. If a repository of rules installs Deltawatch as a
// package, this strips the types of its files there.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

const OWN = new URL('../../', import.meta.url).href;

if (OWN.includes('/node_modules/')) {
  const plain = process.emitWarning;
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.startsWith(OWN) || !url.endsWith('.ts') || url.slice(OWN.length).includes('node_modules/'))
        return nextLoad(url, context);
      // Hides the warning that this is experimental: users of a command cannot act on it.
      process.emitWarning = () => {};
      const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
      process.emitWarning = plain;
      return { format: 'module', source, shortCircuit: true };
    },
  });
}
