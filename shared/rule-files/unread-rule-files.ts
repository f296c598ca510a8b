import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault, RuleSource } from './rule-source.ts';
import { ROUTES_FILE } from './shown-source.ts';
import { TYPESCRIPT_RULES } from './typescript-rule-files.ts';

/** Files that look like rule files but are not read, each with its problem. */
export async function unreadSources(dir: string, names: readonly string[]): Promise<RuleSource[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      if (name.endsWith('.yml')) return [unread(dir, name, `rename it to ${name.replace(/yml$/, 'yaml')}`)];
      if (/\.[cm]?[jt]s$/.test(name) && !name.endsWith(TYPESCRIPT_RULES))
        return (await definesRules(join(dir, name)))
          ? [unread(dir, name, `rename it to ${rulesName(name)}`)]
          : [];
      return rulesBelow(dir, name);
    }),
  );
  return found.flat();
}

/** Whether the file defines rules. Files that only share parts have no default export. */
async function definesRules(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^export default\b/m.test(text) && /\bfrom\s+['"]deltawatch\/rules['"]/.test(text);
}

function rulesName(name: string): string {
  const stem = name.replace(/\.[cm]?[jt]s$/, '').replace(/\.?rules?$/, '');
  return `${stem || 'all'}${TYPESCRIPT_RULES}`;
}

/** Rule files in a subfolder, which are not read. A subfolder with routes is a rules folder of its own. */
async function rulesBelow(dir: string, name: string): Promise<RuleSource[]> {
  if (name === 'node_modules' || name.startsWith('.')) return [];
  const below = await readdir(join(dir, name)).catch((): string[] => []);
  if (below.includes(ROUTES_FILE)) return [];
  const found = await Promise.all(
    below.sort().map(async (each) => ((await holdsRules(join(dir, name, each))) ? [each] : [])),
  );
  return found
    .flat()
    .map((each) => unread(dir, join(name, each), 'move it to the rules folder, as subfolders are not read'));
}

async function holdsRules(path: string): Promise<boolean> {
  if (path.endsWith(TYPESCRIPT_RULES)) return true;
  return /\.ya?ml$/.test(path) && /^rules:/m.test(await readFile(path, 'utf8').catch(() => ''));
}

function unread(dir: string, name: string, advice: string): RuleSource {
  const problemAt = ({ message }: Pick<Fault, 'message'>) => ({
    ...{ file: join(dir, name), line: 1, column: 1, message, source: '' },
  });
  return {
    name,
    value: undefined,
    holds: 'value',
    problems: [problemAt({ message: `is not read; ${advice}` })],
    ignores: [],
    problemAt,
  };
}
