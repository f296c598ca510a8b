import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort, missingPostgres, startPostgres } from '../../bench/data-access/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a superuser on the server, with a password. */
    postgres: { readonly url: string };
  }
}

const PASSWORD = 'a-password-that-is-never-printed';

/** Starts a server on loopback that asks for passwords. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const missing = await missingPostgres();
  if (missing !== undefined) throw new Error(missing);
  const folder = await mkdtemp(join(tmpdir(), 'postgres-'));
  // The server runs as another user than root.
  await chmod(folder, 0o755);
  const hba = join(folder, 'hba.conf');
  await writeFile(hba, 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n');
  const port = await freePort();
  const server = await startPostgres(join(folder, 'server'), {
    ...{ listen_addresses: '127.0.0.1', port: String(port), hba_file: hba, fsync: 'off' },
    ...{ shared_buffers: '64MB', lc_messages: 'C' },
  });
  await server.run(`create role team superuser login password '${PASSWORD}'`);
  provide('postgres', { url: `postgres://team:${PASSWORD}@127.0.0.1:${port}/postgres` });
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}
