import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { thrownOf } from './thrown.ts';

export interface RuleModule {
  url: string;
  /** What `deltawatch/rules` is. */
  defineRulesUrl: string;
}

/** What a rule module came to: the plain value that it exports by default, or why there is none. */
export type Ran = z.output<typeof ranSchema>;

const ranSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), value: z.unknown() }),
  z.object({ kind: z.literal('no-default') }),
  z.object({
    kind: z.literal('not-plain'),
    path: z.array(z.union([z.string(), z.number()])),
    what: z.string(),
  }),
  z.object({
    kind: z.literal('threw'),
    code: z.string(),
    message: z.string(),
    stack: z.string(),
    /** The import that could not be resolved, as it was written; empty where that is not why. */
    specifier: z.string(),
  }),
  /** It ended the thread, or went on for longer than `MOST_SECONDS`. */
  z.object({ kind: z.literal('ended') }),
  z.object({ kind: z.literal('endless') }),
]);

export const MOST_SECONDS = 10;

const THREAD = new URL('./rule-module.ts', import.meta.url);
const TYPE_STRIPPING = new URL('../runtime/type-stripping.js', import.meta.url);
const DEFINE_RULES = new URL('../alerting/define-rules.ts', import.meta.url);

/**
 * Runs a rule module in a thread of its own: without our environment, with a clock that refuses to be asked, afresh
 * each time, and unable to hold or end this process. What it prints goes to stderr.
 */
export async function runRuleModule(url: string, mostSeconds = MOST_SECONDS): Promise<Ran> {
  const workerData: RuleModule = { url, defineRulesUrl: DEFINE_RULES.href };
  const execArgv = ['--import', TYPE_STRIPPING.href];
  const thread = new Worker(THREAD, { workerData, env: {}, execArgv, stdout: true });
  thread.stdout.pipe(process.stderr, { end: false });
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(thread, 'message', { signal }).then(([message]) => ranSchema.parse(message)),
      once(thread, 'exit', { signal }).then(() => ({ kind: 'ended' }) as const),
      delay(mostSeconds * 1000, { kind: 'endless' } as const, { signal }),
    ]);
  } catch (error) {
    // It threw after its thread had nothing to wait for it with, such as in a timer.
    return { kind: 'threw', specifier: '', ...thrownOf(error) };
  } finally {
    over.abort();
    await thread.terminate();
  }
}
