import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { APP_IDS } from './apps.ts';
import { type AppTable, copyOut } from './copy-out.ts';
import type { Peer } from './peer.ts';

const SCRIPT = fileURLToPath(new URL('clickhouse.py', import.meta.url));
/** As DuckDB's rows: by day and name, which most questions ask for. */
const DAY = 'intDiv(recorded_at, 86400000)';
const TABLES = [
  {
    name: 'events',
    order: `${DAY}, event_name, recorded_at, event_id`,
    fewValues: ['event_name', 'screen_name', 'platform', 'country'],
  },
  { name: 'sessions', order: 'recorded_at, session_id', fewValues: ['platform', 'device_model'] },
  { name: 'screen_visits', order: 'recorded_at, session_id', fewValues: ['screen_name'] },
] as const;

const answerSchema = z.union([
  z.strictObject({ ms: z.number(), rows: z.array(z.array(z.unknown())) }),
  z.strictObject({ error: z.string() }),
]);
const helloSchema = z.strictObject({ version: z.string() });

/** ClickHouse in a process of Python, with each app as a database. Loads the rows, unless an earlier run did. */
export async function openClickHouse(directory: string, note: (text: string) => void): Promise<Peer> {
  const folder = join(directory, 'clickhouse');
  await mkdir(folder, { recursive: true });
  const child = spawn('python3', [SCRIPT, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
  // A process that ended is said by the next line.
  child.stdin.on('error', () => {});
  const exited = new Promise<void>((resolve) =>
    child.on('exit', () => resolve()).on('error', () => resolve()),
  );
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('ClickHouse has no process: pip install chdb for the python3 of the PATH');
    return JSON.parse(value);
  };
  const ask: Ask = async (sql) => {
    child.stdin.write(`${JSON.stringify(sql)}\n`);
    const answer = answerSchema.parse(await nextLine());
    if ('error' in answer) throw new Error(`ClickHouse: ${answer.error.slice(0, 300)}`);
    return answer;
  };
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  try {
    note(`ClickHouse ${helloSchema.parse(await nextLine()).version}`);
    for (const app of APP_IDS) await loadApp(ask, { directory, app, note });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async time(schema, statements, times) {
      await ask(`USE ${schema}`);
      const ms: number[] = [];
      let figures: unknown[][] = [];
      for (let round = 0; round < times; round += 1) {
        const answers = [];
        for (const statement of statements) answers.push(await ask(statement));
        ms.push(answers.reduce((sum, answer) => sum + answer.ms, 0));
        if (round === 0) figures = answers.flatMap(({ rows }) => rows);
      }
      return { ms, figures };
    },
    stop,
  };
}

type Ask = (sql: string) => Promise<{ ms: number; rows: unknown[][] }>;
interface LoadApp extends Pick<AppTable, 'directory' | 'app'> {
  readonly note: (text: string) => void;
}

async function loadApp(ask: Ask, { directory, app, note }: LoadApp): Promise<void> {
  await ask(`CREATE DATABASE IF NOT EXISTS ${app}`);
  for (const { name, ...layout } of TABLES) {
    const { rows } = await ask(`EXISTS TABLE ${app}.${name}`);
    if (rows[0]?.[0] === 1) continue;
    note(`copying ${name} of app ${app} to ClickHouse`);
    await loadTable(ask, { directory, app, name, ...layout });
  }
}

interface Load extends AppTable {
  readonly order: string;
  /** Columns to store as numbers of a dictionary. */
  readonly fewValues: readonly string[];
}

/** A table that was not filled keeps another name, so that the next run fills it again. */
async function loadTable(ask: Ask, { order, fewValues, ...table }: Load): Promise<void> {
  const { directory, app, name } = table;
  const file = join(directory, `${app}-${name}.parquet`);
  const partial = `${app}.${name}_partial`;
  try {
    await copyOut(table, `SELECT * FROM ${name}`, file, 'FORMAT parquet');
    await ask(`DROP TABLE IF EXISTS ${partial}`);
    const coded = fewValues.map((column) => `toLowCardinality(${column}) AS ${column}`).join();
    await ask(`CREATE TABLE ${partial} ENGINE = MergeTree ORDER BY (${order}) AS
      SELECT * REPLACE (${coded}) FROM file('${file}', Parquet)
      SETTINGS schema_inference_make_columns_nullable = 0`);
    await ask(`OPTIMIZE TABLE ${partial} FINAL`);
    await ask(`RENAME TABLE ${partial} TO ${app}.${name}`);
  } finally {
    await rm(file, { force: true });
  }
}
