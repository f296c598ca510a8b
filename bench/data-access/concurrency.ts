import { type Client, openClient } from './client.ts';
import type { Question } from './question.ts';
import { median, quantile, timed } from './timing.ts';

const CLIENTS = 16;
const ALONE = 15;
/** So often each client asks each question, once in a crowd that asks the same and once in a mixed one. */
const TIMES = 7;

/** Latency of one question among sixteen clients, compared with the same question alone. */
export interface Crowded {
  readonly name: string;
  readonly aloneMs: number;
  /** When all sixteen ask this question. */
  readonly p99Ms: number;
  /** When they ask all questions at once: a quick one then waits for slow ones. */
  readonly mixedP99Ms: number;
  /** Requests of either crowd that failed or were refused. */
  readonly errors: number;
}

/** Sixteen clients, each asking again as soon as it was answered: first all of them the same, then all questions at once. */
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
  /** Undefined where the request failed. */
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

/** The list over and over, each client beginning elsewhere in it. */
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
