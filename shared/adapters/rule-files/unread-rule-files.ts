import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuleSource } from './rule-source.ts';
import { ROUTES_FILE } from './shown-source.ts';
import { TYPESCRIPT_RULES } from './typescript-rule-files.ts';

/** Files of a rules folder that whoever wrote them believes to be read, and that are not, each as its problem. */
export async function unreadSources(dir: string, names: readonly string[]): Promise<RuleSource[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      if (name.endsWith('.yml')) return [unread(dir, name, `call it ${name.replace(/yml$/, 'yaml')}`)];
      if (/\.[cm]?[jt]s$/.test(name) && !name.endsWith(TYPESCRIPT_RULES))
        return (await definesRules(join(dir, name))) ? [unread(dir, name, `call it ${rulesName(name)}`)] : [];
      return rulesBelow(dir, name);
    }),
  );
  return found.flat();
}

/** Parts that rule files import lie beside them, and may take types from there. */
async function definesRules(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^export default\b/m.test(text) && /\bfrom\s+['"]deltawatch\/rules['"]/.test(text);
}

function rulesName(name: string): string {
  const stem = name.replace(/\.[cm]?[jt]s$/, '').replace(/\.?rules?$/, '');
  return `${stem || 'all'}${TYPESCRIPT_RULES}`;
}

/** A folder below holds rules of its own only where it is named itself; those that hold routes are such. */
async function rulesBelow(dir: string, name: string): Promise<RuleSource[]> {
  if (name === 'node_modules' || name.startsWith('.')) return [];
  const below = await readdir(join(dir, name)).catch((): string[] => []);
  if (below.includes(ROUTES_FILE)) return [];
  const found = await Promise.all(
    below.sort().map(async (each) => ((await holdsRules(join(dir, name, each))) ? [each] : [])),
  );
  return found
    .flat()
    .map((each) =>
      unread(dir, join(name, each), 'put it into the folder itself, as folders below are left alone'),
    );
}

async function holdsRules(path: string): Promise<boolean> {
  if (path.endsWith(TYPESCRIPT_RULES)) return true;
  return /\.ya?ml$/.test(path) && /^rules:/m.test(await readFile(path, 'utf8').catch(() => ''));
}

function unread(dir: string, name: string, advice: string): RuleSource {
  const problemAt = (_path: unknown, message: string) => ({
    ...{ file: join(dir, name), line: 1, column: 1, message, source: '' },
  });
  return {
    name,
    value: undefined,
    problems: [problemAt([], `is not read; ${advice}`)],
    ignores: [],
    problemAt,
  };
}
