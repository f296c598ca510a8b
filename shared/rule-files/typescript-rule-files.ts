import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Problem } from './file-problems.ts';
import { ignoreCommentsInTypeScript } from './ignore-comments.ts';
import { valueAt } from './rule-faults.ts';
import { type Path, pathText, type RuleSource } from './rule-source.ts';
import { shownMessage, withoutSecrets } from './shown-source.ts';
import { thrownProblem } from './thrown-problem.ts';
import { runRuleModule } from './typescript-rule-module.ts';

/** The ending of rule files in TypeScript. Other TypeScript files in the folder are only imported. */
export const TYPESCRIPT_RULES = '.rules.ts';

const ADAPTERS = new URL('.', import.meta.url).href;

/** The default export of the file `name` in the folder `dir`, or why there is none. */
export async function readTypeScript(dir: string, name: string): Promise<RuleSource> {
  const path = resolve(dir, name);
  const text = await readFile(path, 'utf8');
  const ran = await runRuleModule(pathToFileURL(path).href);
  const value = ran.kind === 'value' ? ran.value : undefined;
  const shown = (file: string) => join(dir, relative(resolve(dir), file));
  return {
    name,
    value,
    holds: 'value',
    problems: ran.kind === 'threw' ? [thrownProblem(ran, { path, text, shown }, ADAPTERS)] : [],
    ignores: ignoreCommentsInTypeScript(text),
    // The line of a value is unknown, so the message names its key and its rule.
    problemAt: (fault) => {
      const { path: at, part } = fault;
      const words = wordsOf(value, part === 'key' ? at.slice(0, -1) : at);
      return problemOf(join(dir, name), `${words}${shownMessage(name, fault)}`);
    },
  };
}

/** `rules[0].fire.change.below (rule "orders-de"): ` */
function wordsOf(value: unknown, path: Path): string {
  if (path.length === 0) return '';
  const [top, index] = path;
  const id = top === 'rules' && index !== undefined ? valueAt(value, [top, index, 'id']) : undefined;
  return `${pathText(path)}${typeof id === 'string' ? ` (rule "${id}")` : ''}: `;
}

function problemOf(file: string, message: string): Problem {
  return { file, line: 1, column: 1, message: withoutSecrets(message), source: '' };
}
