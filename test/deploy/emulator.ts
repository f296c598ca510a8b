import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually, freePort } from '../fixtures/deltawatch.ts';
import { installMiniStack } from './installation.ts';

export const ACCOUNT = '111122223333';
export const REGION = 'eu-central-1';
const LOOPBACK = '127.0.0.1';
const START_WITHIN_MS = 60_000;
/** The native library of DuckDB for this machine. */
const LIBRARY = join(
  import.meta.dirname,
  `../../node_modules/@duckdb/node-bindings-${process.platform}-${process.arch}`,
);
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'emulated', AWS_SECRET_ACCESS_KEY: 'emulated' };

export interface Emulator extends AsyncDisposable {
  /** The variables with which clients and commands reach only the emulator. */
  environment: Record<string, string>;
  /** What it and the functions have logged. */
  log(): Promise<string>;
}

/** Starts an empty AWS account on a free port of loopback. */
export async function startEmulator(): Promise<Emulator> {
  const python = await installMiniStack();
  const home = await mkdtemp(join(tmpdir(), 'ministack-'));
  const temporary = join(home, 'tmp');
  await mkdir(temporary);
  const port = await freePort();
  const url = `http://${LOOPBACK}:${port}`;
  const logFile = await open(join(home, 'log'), 'w');
  const server = spawn(python, [join(import.meta.dirname, 'emulator.py')], {
    cwd: home,
    // The functions inherit these, and run on the Node of the tests.
    env: {
      ...CREDENTIALS,
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      TMPDIR: temporary,
      GATEWAY_PORT: String(port),
      BIND_HOST: LOOPBACK,
      MINISTACK_HOST: 'localhost',
      MINISTACK_ACCOUNT_ID: ACCOUNT,
      MINISTACK_REGION: REGION,
      S3_DATA_DIR: join(home, 's3'),
      // Both would listen on all interfaces.
      IOT_MTLS_ENABLED: '0',
      SFTP_ENABLED: '0',
    },
    // A group of its own, which holds the processes of the functions too.
    detached: true,
    stdio: ['ignore', logFile.fd, logFile.fd],
  });
  const ended = once(server, 'exit');
  const kill = () => {
    const isRunning = server.exitCode === null && server.signalCode === null;
    if (isRunning && server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const log = () => readFile(join(home, 'log'), 'utf8');
  const stop = async () => {
    process.off('exit', kill);
    kill();
    await ended;
    await logFile.close();
    await rm(home, { recursive: true, force: true });
  };
  try {
    const isReady = () => fetch(`${url}/_ministack/ready`).then(({ ok }) => ok || undefined);
    await eventually('MiniStack', isReady, START_WITHIN_MS);
  } catch (cause) {
    const last = (await log()).slice(-4_000);
    await stop();
    throw new Error(`MiniStack did not start:\n${last}`, { cause });
  }
  return {
    environment: {
      ...CREDENTIALS,
      AWS_REGION: REGION,
      AWS_ENDPOINT_URL: url,
      // No profile of this machine may lead anywhere else.
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      // The functions run on the processor of this machine.
      DELTAWATCH_DUCKDB_LIBRARY: LIBRARY,
      NODE_OPTIONS: `--import ${import.meta.resolve('./localhost-names.ts')}`,
    },
    log,
    [Symbol.asyncDispose]: stop,
  };
}
