// Node takes the types out of TypeScript wherever it lies but below node_modules, which is where Deltawatch lies in a
// repository of rules that names it in its package.json. There, this does the same for its own files.
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
      // It is said to be experimental, which is nothing that who runs a command could do anything about.
      process.emitWarning = () => {};
      const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
      process.emitWarning = plain;
      return { format: 'module', source, shortCircuit: true };
    },
  });
}
