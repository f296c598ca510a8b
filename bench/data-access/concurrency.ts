import { type Client, openClient } from './client.ts';
import type { Question } from './question.ts';
import { median, quantile, timed } from './timing.ts';

const CLIENTS = 16;
const ALONE = 15;
/** How often each client sends each request, both with only this request and with a mix of all. */
const TIMES = 7;

/** Latency of one request under the load of sixteen clients, compared with the same request alone. */
export interface Crowded {
  readonly name: string;
  readonly aloneMs: number;
  /** While all sixteen clients send this request. */
  readonly p99Ms: number;
  /** While the clients send all requests: fast ones then wait for slow ones. */
  readonly mixedP99Ms: number;
  /** Requests that failed or were rejected, in both cases. */
  readonly errors: number;
}

/** Sixteen clients send requests back to back: first all the same request, then a mix of all. */
export async function measureCrowds(port: number, questions: readonly Question[]): Promise<Crowded[]> {
  const alone = new Map<string, number>();
  const same: Asked[] = [];
  for (const question of questions) {
    alone.set(question.name, await withClient(port, (client) => medianAlone(client, question)));
    same.push(...(await crowd(port, () => Array.from({ length: TIMES }, () => question))));
  }
  const mixed = await crowd(port, (number) => walk(questions, number));
  return questions.map(({ name }) => ({
    name,
    aloneMs: alone.get(name) ?? Number.NaN,
    p99Ms: p99(same, name),
    mixedP99Ms: p99(mixed, name),
    errors: [...same, ...mixed].filter((asked) => asked.name === name && asked.ms === undefined).length,
  }));
}

interface Asked {
  readonly name: string;
  /** `undefined` if the request failed. */
  readonly ms: number | undefined;
}

async function crowd(port: number, questionsOf: (client: number) => readonly Question[]): Promise<Asked[]> {
  const walks = Array.from({ length: CLIENTS }, (_, number) =>
    withClient(port, async (client) => {
      const asked: Asked[] = [];
      for (const question of questionsOf(number)) {
        const ms = await timed(() => client.ask(question)).catch(() => undefined);
        asked.push({ name: question.name, ms });
      }
      return asked;
    }),
  );
  return (await Promise.all(walks)).flat();
}

/** The questions in a loop. Each client starts at a different one. */
function walk(questions: readonly Question[], number: number): Question[] {
  const start = Math.floor((number * questions.length) / CLIENTS);
  const lap = [...questions.slice(start), ...questions.slice(0, start)];
  return Array.from({ length: TIMES }, () => lap).flat();
}

const p99 = (asked: readonly Asked[], name: string): number =>
  quantile(
    asked.flatMap((each) => (each.name === name && each.ms !== undefined ? each.ms : [])),
    0.99,
  );

async function medianAlone(client: Client, question: Question): Promise<number> {
  await client.ask(question);
  const times: number[] = [];
  for (let at = 0; at < ALONE; at += 1) times.push(await timed(() => client.ask(question)));
  return median(times);
}

async function withClient<T>(port: number, use: (client: Client) => Promise<T>): Promise<T> {
  const client = openClient(port);
  return use(client).finally(() => client.close());
}
