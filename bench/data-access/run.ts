import { ANALYTICS } from './analytics-questions.ts';
import { prepareApps } from './apps.ts';
import { bodyOf, type Client, openClient } from './client.ts';
import { type Crowded, measureCrowds } from './concurrency.ts';
import { LISTS } from './list-questions.ts';
import { openPeers, type Peers, stopPeers, timePeers } from './peers.ts';
import type { Question } from './question.ts';
import { openRawSql, type RawSql } from './raw-sql.ts';
import { sameFigures } from './same-figures.ts';
import { openService, type Service } from './serving.ts';
import { forkService } from './serving-apart.ts';
import type { Alone } from './summary.ts';
import { summarized } from './summary.ts';
import { median, timed } from './timing.ts';

const EVENTS = 20_000_000;
const ROUNDS = 21;
const QUESTIONS: readonly Question[] = [...ANALYTICS, ...LISTS];

/**
 * Measures the data access service with three apps and 20 million events in total. Each question is measured over HTTP,
 * as handwritten SQL in the same process, and in each peer that is installed. Then sixteen clients load the service, and its peak memory
 * is measured. An option sets another number of events.
 */
export async function run([events = String(EVENTS)]: readonly string[]) {
  const directory = await prepareApps(Number(events), note);
  const peers = await openPeers(directory, note);
  try {
    const alone = await measureAlone(directory, peers);
    await stopPeers(peers);
    const { crowd, residentMb } = await measureInOwnProcess(directory);
    return summarized({ events: Number(events), alone, crowd, residentMb });
  } finally {
    await stopPeers(peers);
  }
}

const note = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

async function measureAlone(directory: string, peers: Peers): Promise<Alone[]> {
  const service = await openService(directory);
  const client = openClient(service.port);
  const raw = await openRawSql(directory);
  try {
    const measured: Alone[] = [];
    for (const question of QUESTIONS)
      measured.push(await measureQuestion(question, { service, client, raw, peers }));
    return measured;
  } finally {
    raw.close();
    client.close();
    service.close();
  }
}

interface Engines {
  readonly service: Service;
  readonly client: Client;
  readonly raw: RawSql;
  readonly peers: Peers;
}

/** Alternates between HTTP and SQL, so that other load on the machine affects both equally. */
async function measureQuestion(question: Question, { service, client, raw, peers }: Engines): Promise<Alone> {
  const askSql = raw.asking(question.app);
  const earlier = service.queriesOfHours();
  const figures = question.figures(bodyOf(await client.ask(question)));
  const fromHours = service.queriesOfHours() > earlier;
  sameFigures(question.name, figures, await question.duckdb(askSql));
  const http: number[] = [];
  const handwritten: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    http.push(await timed(() => client.ask(question)));
    handwritten.push(await timed(() => question.duckdb(askSql)));
  }
  const alone = {
    fromHours,
    httpMs: median(http),
    rawMs: median(handwritten),
    peers: await timePeers(peers, question, figures),
  };
  note(`${question.name}, ms: ${JSON.stringify(alone)}`);
  return { question, ...alone };
}

async function measureInOwnProcess(directory: string): Promise<{ crowd: Crowded[]; residentMb: number }> {
  note('measuring with sixteen clients');
  const service = await forkService(directory);
  try {
    const crowd = await measureCrowds(service.port, QUESTIONS);
    return { crowd, residentMb: await service.end() };
  } catch (error) {
    await service.end();
    throw error;
  }
}
