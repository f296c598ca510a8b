import { spawn } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { exists } from '../../local/files.ts';
import type { Peer } from './peer.ts';
import type { Figures } from './question.ts';

/** The directory of the programs in Debian's package of PostgreSQL 15. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const USER = 'bench';

/** Typical settings for a machine of this size; `jit` and the planner keep their defaults. */
const SETTINGS = {
  shared_buffers: '2GB',
  work_mem: '256MB',
  maintenance_work_mem: '1GB',
  effective_cache_size: '8GB',
  random_page_cost: '1.1',
  max_parallel_workers: '2',
  max_parallel_workers_per_gather: '2',
  // Only for loading: rows of a table that the same transaction created are not written to the WAL.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
};

export interface Postgres extends Peer {
  run(script: string): Promise<void>;
}

/** Why PostgreSQL 15 cannot be used; `undefined` if it can. */
export const missingPostgres = (): Promise<string | undefined> =>
  access(join(PROGRAMS, 'postgres')).then(
    () => undefined,
    () => `PostgreSQL 15 is not installed (${PROGRAMS}): apt-get install postgresql-15`,
  );

/** Starts a separate cluster in a folder. By default it only listens on a socket in that folder. */
export async function startPostgres(
  directory: string,
  given: Readonly<Record<string, string>> = SETTINGS,
): Promise<Postgres> {
  const data = join(directory, 'cluster');
  if (!(await exists(join(data, 'PG_VERSION')))) {
    await mkdir(directory, { recursive: true });
    if (isRoot()) await finished('chown', ['postgres', directory]);
    await asUser('initdb', ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C']);
  }
  const settings = { listen_addresses: "''", unix_socket_directories: directory, ...given };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  await asUser('pg_ctl', ['-D', data, '-w', '-l', join(directory, 'log'), '-o', options.join(' '), 'start']);
  const psql = (script: string) => {
    const flags = ['-X', '-q', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=1'];
    return finished(
      'psql',
      [...flags, '-h', directory, '-p', given.port ?? '5432', '-U', USER, '-d', 'postgres'],
      script,
    );
  };
  return {
    run: async (script) => void (await psql(script)),
    async time(schema, statements, times) {
      const once = statements.map((statement) => `${statement};\n`).join('');
      const output = await psql(`SET search_path = ${schema};\n\\timing on\n${once.repeat(times)}`);
      return timesAndRows(output, statements.length);
    },
    async stop() {
      if (await exists(join(data, 'postmaster.pid')))
        await asUser('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']);
    },
  };
}

/** A port of loopback that no server uses. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

/** Parses the output of psql: the rows of each statement, then a line such as `Time: 12.345 ms`. */
function timesAndRows(output: string, statementCount: number): { ms: number[]; figures: Figures } {
  const lines = output.split('\n').filter((line) => line !== '');
  const times = lines.flatMap((line) => /^Time: ([\d.]+) ms/.exec(line)?.[1] ?? []).map(Number);
  const ms = Array.from({ length: times.length / statementCount }, (_, round) =>
    times.slice(round * statementCount, (round + 1) * statementCount).reduce((sum, time) => sum + time, 0),
  );
  let timed = 0;
  const figures: string[][] = [];
  for (const line of lines) {
    if (timed === statementCount) break;
    if (line.startsWith('Time: ')) timed += 1;
    else figures.push(line.split('\t'));
  }
  return { ms, figures };
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
const asUser = (program: string, args: readonly string[]): Promise<string> => {
  const path = join(PROGRAMS, program);
  return isRoot() ? finished('runuser', ['-u', 'postgres', '--', path, ...args]) : finished(path, args);
};

async function finished(program: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${program} exited with code ${code}: ${errors.trim()}`);
  return output;
}
