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
        return (await contains(join(dir, name), /^export default defineRules\b/m))
          ? [unread(dir, name, `end its name with ${TYPESCRIPT_RULES}`)]
          : [];
      return rulesBelow(dir, name);
    }),
  );
  return found.flat();
}

/** Rule files in a subfolder, which are not read. A subfolder with routes is a rules folder of its own. */
async function rulesBelow(dir: string, name: string): Promise<RuleSource[]> {
  if (name === 'node_modules' || name.startsWith('.')) return [];
  const below = (await readdir(join(dir, name)).catch((): string[] => [])).sort();
  if (below.includes(ROUTES_FILE)) return [];
  const isRules = await Promise.all(
    below.map((each) => each.endsWith(TYPESCRIPT_RULES) || contains(join(dir, name, each), /^rules:/m)),
  );
  return below
    .filter((_, i) => isRules[i])
    .map((each) => unread(dir, join(name, each), 'move it to the rules folder, as subfolders are not read'));
}

async function contains(path: string, form: RegExp): Promise<boolean> {
  return form.test(await readFile(path, 'utf8').catch(() => ''));
}

function unread(dir: string, name: string, advice: string): RuleSource {
  const problemAt = ({ message }: Pick<Fault, 'message'>) => ({
    ...{ file: join(dir, name), line: 1, column: 1, message, source: '' },
  });
  return {
    name,
    value: undefined,
    problems: [problemAt({ message: `is not read; ${advice}` })],
    ignores: [],
    problemAt,
  };
}
