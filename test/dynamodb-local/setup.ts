import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { eventually, freePort } from '../fixtures/deltawatch.ts';
import { installDynamoDbLocal } from './installation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of DynamoDB Local, which has a database for each access key. Only in the project of that name. */
    dynamodbLocal: string | undefined;
  }
}

const START_WITHIN_MS = 120_000;

/** Starts DynamoDB Local on loopback. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const lib = await installDynamoDbLocal();
  const port = await freePort();
  const source = join(import.meta.dirname, 'LoopbackServer.java');
  const options = ['-Xmx512m', `-Dsqlite4java.library.path=${lib}`, '-cp', join(lib, '*')];
  const server = spawn('java', [...options, source, String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(server, 'exit');
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const url = `http://127.0.0.1:${port}`;
  // Any answer, also an error, means that it runs.
  await eventually('DynamoDB Local', () => fetch(url), START_WITHIN_MS);
  provide('dynamodbLocal', url);
  return async () => {
    process.off('exit', kill);
    kill();
    await ended;
  };
}
