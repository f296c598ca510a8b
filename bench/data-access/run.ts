import { join } from 'node:path';
import { ANALYTICS } from './analytics-questions.ts';
import { prepareApps } from './apps.ts';
import { bodyOf, type Client, openClient } from './client.ts';
import { type Crowded, measureCrowds } from './concurrency.ts';
import { forkService } from './forked-service.ts';
import { LISTS } from './list-questions.ts';
import { missingPostgres, startPostgres } from './postgres.ts';
import { loadPostgres } from './postgres-rows.ts';
import type { Figures, Question } from './question.ts';
import { openRawSql, type RawSql } from './raw-sql.ts';
import { sameFigures } from './same-figures.ts';
import { openService } from './service.ts';
import { summarized } from './summary.ts';
import { median, round, timed } from './timing.ts';

const EVENTS = 20_000_000;
const ROUNDS = 21;
const POSTGRES_ROUNDS = 5;
const QUESTIONS: readonly Question[] = [...ANALYTICS, ...LISTS];

/**
 * The data access service over three apps with 20 million events in all: each question over HTTP, as SQL by hand in
 * the same process, and asked of PostgreSQL; then sixteen clients at once, and the memory of the service that answers
 * them. Another number of events may be given, to try it out.
 */
export async function run([events = String(EVENTS)]: readonly string[]) {
  const directory = await prepareApps(Number(events), note);
  const alone = await measureAlone(directory);
  const postgres = await measurePostgres(directory, alone);
  const { crowd, residentMb } = await measureInOwnProcess(directory);
  return summarized({ events: Number(events), alone, postgres, crowd, residentMb });
}

const note = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

/** One question, when nobody else asks. */
export interface Alone {
  readonly question: Question;
  readonly figures: Figures;
  readonly httpMs: number;
  readonly rawMs: number;
}

async function measureAlone(directory: string): Promise<Alone[]> {
  note('asking over HTTP and in SQL by turns');
  const service = await openService(directory);
  const client = openClient(service.port);
  const raw = await openRawSql(directory);
  try {
    const measured: Alone[] = [];
    for (const question of QUESTIONS) measured.push(await measureQuestion(question, client, raw));
    return measured;
  } finally {
    raw.close();
    client.close();
    service.close();
  }
}

async function measureQuestion(question: Question, client: Client, raw: RawSql): Promise<Alone> {
  const askSql = raw.asking(question.app);
  const figures = question.figures(bodyOf(await client.ask(question)));
  sameFigures(question.name, figures, await question.duckdb(askSql));
  const http: number[] = [];
  const byHand: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    http.push(await timed(() => client.ask(question)));
    byHand.push(await timed(() => question.duckdb(askSql)));
  }
  const [httpMs, rawMs] = [median(http), median(byHand)];
  note(`${question.name}: ${round(httpMs)} ms over HTTP, ${round(rawMs)} ms in SQL`);
  return { question, figures, httpMs, rawMs };
}

/** Times by name, or why there are none. */
export type PostgresTimes = ReadonlyMap<string, number> | string;

async function measurePostgres(directory: string, answers: readonly Alone[]): Promise<PostgresTimes> {
  const missing = await missingPostgres();
  if (missing) return missing;
  const postgres = await startPostgres(join(directory, 'postgres'));
  try {
    await loadPostgres(postgres, directory, note);
    note('asking PostgreSQL');
    const times = new Map<string, number>();
    for (const { question, figures } of answers) {
      const { app, name } = question;
      await postgres.time(app, question.postgres, 1);
      const measured = await postgres.time(app, question.postgres, POSTGRES_ROUNDS);
      sameFigures(`${name} in PostgreSQL`, figures, measured.figures);
      times.set(name, median(measured.ms));
      note(`${name}: ${round(median(measured.ms))} ms in PostgreSQL`);
    }
    return times;
  } finally {
    await postgres.stop();
  }
}

async function measureInOwnProcess(directory: string): Promise<{ crowd: Crowded[]; residentMb: number }> {
  note('asking with sixteen clients');
  const service = await forkService(directory);
  try {
    const crowd = await measureCrowds(service.port, QUESTIONS);
    return { crowd, residentMb: await service.end() };
  } catch (error) {
    await service.end();
    throw error;
  }
}
