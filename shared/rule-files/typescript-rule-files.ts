import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { problemOf } from './file-problems.ts';
import { ignoreCommentsIn } from './ignore-comments.ts';
import { valueAt } from './rule-faults.ts';
import { type Path, pathText, type RuleSource } from './rule-source.ts';
import { shownMessage, withoutSecrets } from './shown-source.ts';
import { thrownOf, thrownProblem } from './thrown-problem.ts';

/** The ending of rule files in TypeScript. Other TypeScript files in the folder are only imported. */
export const TYPESCRIPT_RULES = '.rules.ts';

const ADAPTERS = new URL('.', import.meta.url).href;

/** The default export of the file `name` in the folder `dir`, or the reason for its absence. */
export async function readTypeScript(dir: string, name: string): Promise<RuleSource> {
  const path = resolve(dir, name);
  const text = await readFile(path, 'utf8');
  const ran = await runRuleModule(pathToFileURL(path).href);
  const value = ran.kind === 'value' ? ran.value : undefined;
  const shown = (file: string) => join(dir, relative(resolve(dir), file));
  return {
    name,
    value,
    problems: ran.kind === 'threw' ? [thrownProblem(ran, { path, text, shown }, ADAPTERS)] : [],
    ignores: ignoreCommentsIn(text),
    // The line of a value is unknown, so the message names its key and its rule.
    problemAt: (fault) => {
      const { path: at, part } = fault;
      const words = wordsOf(value, part === 'key' ? at.slice(0, -1) : at);
      return problemOf(join(dir, name), withoutSecrets(`${words}${shownMessage(name, fault)}`));
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

export interface RuleModule {
  url: string;
  /** The module that `deltawatch/rules` resolves to. */
  defineRulesUrl: string;
}

/** The default export of a rule file as a plain value, or the error that it threw. */
export type Ran = z.output<typeof ranSchema>;

const ranSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), value: z.unknown() }),
  z.object({ kind: z.literal('threw'), code: z.string(), message: z.string(), stack: z.string() }),
]);

const MOST_SECONDS = 10;
const ENDED = 'ended without exporting rules: it calls process.exit, or awaits a promise that never resolves';

// Compiled in the package.
const ENDING = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const THREAD = new URL(`./rule-module.${ENDING}`, import.meta.url);
const DEFINE_RULES = new URL(`../rules/define-rules.${ENDING}`, import.meta.url);

/**
 * Evaluates a rule file once, in its own thread: an endless loop or `process.exit` does not stop this process, and
 * changed files are not read from the module cache. The file gets no environment variables, and its output goes to
 * stderr.
 */
export async function runRuleModule(url: string, mostSeconds = MOST_SECONDS): Promise<Ran> {
  const workerData: RuleModule = { url, defineRulesUrl: DEFINE_RULES.href };
  const thread = new Worker(THREAD, { workerData, env: {}, execArgv: [], stdout: true });
  thread.stdout.pipe(process.stderr, { end: false });
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(thread, 'message', { signal }).then(([message]) => ranSchema.parse(message)),
      once(thread, 'exit', { signal }).then(() => failed(ENDED)),
      delay(mostSeconds * 1000, failed(`did not finish within ${mostSeconds} seconds`), { signal }),
    ]);
  } catch (error) {
    // Thrown outside the import, such as in a timer.
    return { kind: 'threw', ...thrownOf(error) };
  } finally {
    over.abort();
    await thread.terminate();
  }
}

function failed(message: string): Ran {
  return { kind: 'threw', code: '', message, stack: '' };
}
