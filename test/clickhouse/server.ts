import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const PASSWORD = 'a-password-that-is-never-printed';
const SERVER = fileURLToPath(new URL('server.py', import.meta.url));

export interface ClickHouseServer {
  /** The URL of the server, with the password of a user. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts ClickHouse, with the python of the variable that `.ci/clickhouse.sh` sets. `folder` keeps the tables; by
 * default they go when it stops.
 */
export async function startClickHouse(folder?: string): Promise<ClickHouseServer> {
  const python = process.env.CLICKHOUSE_PYTHON ?? 'python3';
  const server = spawn(python, [SERVER, PASSWORD, ...(folder === undefined ? [] : [folder])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
  if (value === undefined)
    throw new Error(
      `${python} cannot start ClickHouse: pip install chdb, or name another one in CLICKHOUSE_PYTHON`,
    );
  const { port } = z.strictObject({ port: z.int() }).parse(JSON.parse(value));
  return {
    url: `http://team:${PASSWORD}@127.0.0.1:${port}`,
    async stop() {
      server.kill('SIGKILL');
      await exited;
    },
  };
}
