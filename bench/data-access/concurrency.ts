import { openClient } from './client.ts';
import type { Question } from './question.ts';
import { median, quantile, timed } from './timing.ts';

const CLIENTS = 16;
const LAPS = 6;
const ALONE = 15;

/** How one question fared among sixteen clients, against the same question when nobody else asks. */
export interface Crowded {
  readonly name: string;
  readonly aloneMs: number;
  readonly p99Ms: number;
}

/**
 * Sixteen clients walk the list over and over, each beginning elsewhere in it, each asking as soon as it was answered.
 * All their questions are in one crowd: a quick one has to hold its own against the slow ones.
 *
 * @throws Error when a single answer is none.
 */
export async function measureCrowd(port: number, questions: readonly Question[]): Promise<Crowded[]> {
  const alone = new Map<string, number>();
  const single = openClient(port);
  for (const question of questions) {
    await single.ask(question);
    const times: number[] = [];
    for (let at = 0; at < ALONE; at += 1) times.push(await timed(() => single.ask(question)));
    alone.set(question.name, median(times));
  }
  single.close();

  const crowded = new Map(questions.map(({ name }) => [name, [] as number[]]));
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, number) => {
      const client = openClient(port);
      for (const question of walk(questions, number))
        crowded.get(question.name)?.push(await timed(() => client.ask(question)));
      client.close();
    }),
  );
  return questions.map(({ name }) => ({
    name,
    aloneMs: alone.get(name) ?? Number.NaN,
    p99Ms: quantile(crowded.get(name) ?? [], 0.99),
  }));
}

function* walk(questions: readonly Question[], number: number): Generator<Question> {
  const start = Math.floor((number * questions.length) / CLIENTS);
  for (let lap = 0; lap < LAPS; lap += 1) {
    yield* questions.slice(start);
    yield* questions.slice(0, start);
  }
}
