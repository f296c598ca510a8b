import { type Client, openClient } from './client.ts';
import type { Question } from './question.ts';
import { median, quantile, timed } from './timing.ts';

const CLIENTS = 16;
const LAPS = 8;
const ALONE = 15;

/** How one question fared among sixteen clients, against the same question when nobody else asks. */
export interface Crowded {
  readonly name: string;
  readonly aloneMs: number;
  readonly p99Ms: number;
  /** Requests that failed or were refused. */
  readonly errors: number;
}

/**
 * Sixteen clients walk the list over and over, each beginning elsewhere in it, each asking as soon as it was answered.
 * All their questions are in one crowd: a quick one has to hold its own against the slow ones.
 */
export async function measureCrowd(port: number, questions: readonly Question[]): Promise<Crowded[]> {
  const alone = new Map<string, number>();
  await withClient(port, async (client) => {
    for (const question of questions) alone.set(question.name, await medianAlone(client, question));
  });
  const times = new Map(questions.map(({ name }) => [name, [] as number[]]));
  const errors: string[] = [];
  const walks = Array.from({ length: CLIENTS }, (_, number) =>
    withClient(port, async (client) => {
      for (const question of walk(questions, number)) {
        const asked = timed(() => client.ask(question));
        await asked.then(
          (ms) => times.get(question.name)?.push(ms),
          () => errors.push(question.name),
        );
      }
    }),
  );
  await Promise.all(walks);
  return questions.map(({ name }) => ({
    name,
    aloneMs: alone.get(name) ?? Number.NaN,
    p99Ms: quantile(times.get(name) ?? [], 0.99),
    errors: errors.filter((failed) => failed === name).length,
  }));
}

async function medianAlone(client: Client, question: Question): Promise<number> {
  await client.ask(question);
  const times: number[] = [];
  for (let at = 0; at < ALONE; at += 1) times.push(await timed(() => client.ask(question)));
  return median(times);
}

async function withClient(port: number, use: (client: Client) => Promise<void>): Promise<void> {
  const client = openClient(port);
  await use(client).finally(() => client.close());
}

function* walk(questions: readonly Question[], number: number): Generator<Question> {
  const start = Math.floor((number * questions.length) / CLIENTS);
  for (let lap = 0; lap < LAPS; lap += 1) {
    yield* questions.slice(start);
    yield* questions.slice(0, start);
  }
}
