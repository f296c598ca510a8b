import { createClient } from '@clickhouse/client';
import pg from 'pg';
import * as z from 'zod';
import type { Apps } from '../functions/data-access/apps/apps.ts';
import { openReader } from '../functions/data-access/apps/open-reader.ts';
import { MEANING } from '../functions/data-access/engines/clickhouse/client.ts';
import { ClickHouseCompiler } from '../functions/data-access/engines/clickhouse/compiler.ts';
import { PostgresCompiler } from '../functions/data-access/engines/postgres/compiler.ts';
import type { Query } from '../functions/data-access/engines/query.ts';
import { canonicalTables } from '../functions/data-access/tables/canonical-tables.ts';
import { checkTables } from '../functions/data-access/tables/check-tables.ts';
import { errorText } from '../shared/runtime/errors.ts';
import { HOUR_MS } from '../shared/units/durations.ts';
import { ANALYTICS } from './data-access/analytics-questions.ts';
import { APP_IDS, type AppId, prepareApps } from './data-access/apps.ts';
import { bodyOf, type Client, openClient } from './data-access/client.ts';
import type { Figures, Question } from './data-access/question.ts';
import { sameFigures } from './data-access/same-figures.ts';
import { openService, serveApps } from './data-access/serving.ts';
import { median, round, timed } from './data-access/timing.ts';
import { openTeamTables, TEAM_ENGINES, type TeamEngine, type TeamTables } from './team-tables.ts';

const EVENTS = 2_000_000;
const ROUNDS = 11;

/**
 * The analytics questions over HTTP, on the same rows as tables of a team in each engine. `byHandMs`: the client of the
 * vendor alone asks the SQL that the question compiles to, in turn with the question; `overHand` is the median of these
 * pairs. `overServer` is the same without the way to the server and back, so that a slow way hides nothing. Options: the
 * number of events, and engines.
 */
export async function run([events = String(EVENTS), ...engines]: readonly string[]) {
  const directory = await prepareApps(Number(events), note);
  const own = await openService(directory);
  const client = openClient(own.port);
  const expected: Figures[] = [];
  for (const question of ANALYTICS) expected.push(question.figures(bodyOf(await client.ask(question))));
  client.close();
  own.close();
  const results: Record<string, unknown> = {};
  for (const engine of TEAM_ENGINES) {
    if (engines.length > 0 && !engines.includes(engine)) continue;
    note(`copying the events to ${engine}`);
    results[engine] = await measured(engine, { directory, expected }).catch((error: unknown) => ({
      failed: errorText(error),
    }));
  }
  return { events: Number(events), ...results };
}

const note = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

async function measured(
  engine: TeamEngine,
  { directory, expected }: { directory: string; expected: readonly Figures[] },
) {
  await using team = await openTeamTables(engine, { directory, apps: APP_IDS, zone: 'UTC' });
  const asked: Query[] = [];
  const service = await serveApps(observed(team.apps, asked));
  const client = openClient(service.port);
  await using hand = await HANDS[engine]?.(team);
  const rows = [];
  try {
    for (const [at, question] of ANALYTICS.entries()) {
      asked.length = 0;
      const figures = question.figures(bodyOf(await client.ask(question)));
      sameFigures(`${question.name} in ${engine}`, figures, expected[at] ?? []);
      const row = {
        name: question.name,
        ...(await timesOf(question, { client, hand, queries: [...asked] })),
      };
      note(`${engine}: ${JSON.stringify(row)}`);
      rows.push(row);
    }
  } finally {
    client.close();
    service.close();
  }
  return { questions: rows, ...summaryOf(rows) };
}

/** Notes the queries of requests. Who opened the apps closes them. */
const observed = (apps: Apps, asked: Query[]): Apps => ({
  ...apps,
  close: () => {},
  withApp: (of, use) =>
    apps.withApp(of, ({ engine, ...app }) => {
      const answer: typeof engine.answer = (query, signal) => {
        asked.push(query);
        return engine.answer(query, signal);
      };
      return use({ ...app, engine: { ...engine, answer } });
    }),
});

interface Times {
  readonly ms: number;
  readonly byHandMs?: number;
  readonly overHand?: number;
  readonly overServer?: number;
  readonly rowsRead?: number;
}

async function timesOf(
  question: Question,
  { client, hand, queries }: { client: Client; hand: Hand | undefined; queries: readonly Query[] },
): Promise<Times> {
  const ours: number[] = [];
  const byHand: number[] = [];
  const inServer: number[] = [];
  const statements = hand ? await Promise.all(queries.map((query) => hand.compile(question.app, query))) : [];
  let rowsRead = 0;
  for (let at = 0; at < ROUNDS; at += 1) {
    ours.push(await timed(() => client.ask(question)));
    if (!hand) continue;
    const startedAt = performance.now();
    const costs = await Promise.all(statements.map((statement) => hand.ask(statement)));
    byHand.push(performance.now() - startedAt);
    inServer.push(Math.max(...costs.map(({ serverMs }) => serverMs)));
    rowsRead = costs.reduce((sum, cost) => sum + cost.rowsRead, 0);
  }
  const ratio = (of: (at: number) => number) => round(median(ours.map((_, at) => of(at))));
  const [mine, theirs, server] = [
    (at: number) => ours[at] ?? 0,
    (at: number) => byHand[at] ?? 0,
    (at: number) => inServer[at] ?? 0,
  ];
  return {
    ms: round(median(ours)),
    ...(hand && { byHandMs: round(median(byHand)), overHand: ratio((at) => mine(at) / theirs(at)) }),
    ...(rowsRead > 0 && {
      overServer: ratio((at) => (mine(at) - theirs(at) + server(at)) / server(at)),
      rowsRead,
    }),
  };
}

function summaryOf(rows: readonly Times[]) {
  const overHand = rows.flatMap((row) => row.overHand ?? []);
  const overServer = rows.flatMap((row) => row.overServer ?? []);
  return {
    medianMs: median(rows.map(({ ms }) => ms)),
    ...(overHand.length > 0 && { medianOverHand: median(overHand), worstOverHand: Math.max(...overHand) }),
    ...(overServer.length > 0 && {
      medianOverServer: median(overServer),
      worstOverServer: Math.max(...overServer),
    }),
  };
}

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** The client of the vendor alone. */
interface Hand extends AsyncDisposable {
  compile(app: AppId, query: Query): Promise<Statement>;
  /** What the server says of its time and of the rows that it read; 0 if it says nothing. */
  ask(statement: Statement): Promise<{ serverMs: number; rowsRead: number }>;
}

const HANDS: Readonly<Partial<Record<TeamEngine, (team: TeamTables) => Promise<Hand>>>> = {
  async postgres(team) {
    const pool = new pg.Pool({ connectionString: team.url });
    return {
      compile: async (app, query) => new PostgresCompiler(await sourceOf(team, app)).compile(query),
      async ask({ sql, parameters }) {
        await pool.query({ text: sql, values: [...parameters], rowMode: 'array' });
        return { serverMs: 0, rowsRead: 0 };
      },
      [Symbol.asyncDispose]: () => pool.end(),
    };
  },
  async clickhouse(team) {
    const client = createClient({ url: team.url, request_timeout: HOUR_MS });
    return {
      compile: async (app, query) => new ClickHouseCompiler(await sourceOf(team, app)).compile(query),
      async ask({ sql }) {
        const answer = await client.query({
          query: sql,
          format: 'JSONCompact',
          clickhouse_settings: MEANING,
        });
        const { statistics } = statisticsSchema.parse(await answer.json());
        return { serverMs: statistics.elapsed * 1000, rowsRead: statistics.rows_read };
      },
      [Symbol.asyncDispose]: () => client.close(),
    };
  },
};

const statisticsSchema = z.object({ statistics: z.object({ elapsed: z.number(), rows_read: z.number() }) });

async function sourceOf({ tables, url }: TeamTables, app: AppId) {
  await using opened = await openReader(url);
  const { reader } = opened;
  const given = tables.apps[app];
  if (!given) throw new Error(`no app ${app}`);
  return canonicalTables({ tables: await checkTables(app, given, reader), dialect: reader.dialect });
}
