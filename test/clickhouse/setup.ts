import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import * as z from 'zod';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server, with the password of a user. */
    clickhouse: { readonly url: string };
  }
}

const PASSWORD = 'a-password-that-is-never-printed';
const SERVER = fileURLToPath(new URL('server.py', import.meta.url));

/** Starts ClickHouse, with the python of the variable that `.ci/clickhouse.sh` sets. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = spawn(process.env.CLICKHOUSE_PYTHON ?? 'python3', [SERVER, PASSWORD], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const { value } = await createInterface(server.stdout)[Symbol.asyncIterator]().next();
  const { port } = z.strictObject({ port: z.int() }).parse(JSON.parse(value ?? '{}'));
  provide('clickhouse', { url: `http://team:${PASSWORD}@127.0.0.1:${port}` });
  return async () => {
    server.kill('SIGKILL');
    await exited;
  };
}
