import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import { runStatement } from './statement.ts';

/** The name of Athena's catalog; case does not matter. */
export const CATALOG = 'awsdatacatalog';
const LOOPBACK = '127.0.0.1';
const START_WITHIN_MS = 120_000;

export interface TrinoServer {
  readonly url: string;
  /** The folder behind `local:///` in the locations of tables. */
  readonly storage: string;
  stop(): Promise<void>;
}

/** Starts a server on loopback that deletes its data when it stops. */
export async function startTrino(installation: Installation): Promise<TrinoServer> {
  const home = await mkdtemp(join(tmpdir(), 'trino-'));
  const port = await freePort();
  const url = `http://${LOOPBACK}:${port}`;
  const storage = join(home, 'storage');
  await configure(home, installation, port);
  const log = await open(join(home, 'server.log'), 'w');
  const server = spawn(installation.java, javaArguments(home, installation), {
    cwd: home,
    stdio: ['ignore', log.fd, log.fd],
  });
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
    await log.close();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await untilAnswering(url, server);
  } catch (cause) {
    const last = (await readFile(join(home, 'server.log'), 'utf8')).slice(-4_000);
    await stop();
    throw new Error(`Trino did not start:\n${last}`, { cause });
  }
  return { url, storage, stop };
}

async function configure(home: string, { plugins }: Installation, port: number): Promise<void> {
  const storage = join(home, 'storage');
  const files = {
    'etc/config.properties': {
      coordinator: true,
      'node-scheduler.include-coordinator': true,
      'http-server.http.port': port,
      'discovery.uri': `http://${LOOPBACK}:${port}`,
      'query.max-memory': '1GB',
      'query.max-memory-per-node': '1GB',
      'node.environment': 'test',
      'node.id': 'test',
      'node.internal-address': LOOPBACK,
      'node.bind-ip': LOOPBACK,
      'plugin.dir': plugins,
    },
    [`etc/catalog/${CATALOG}.properties`]: {
      'connector.name': 'hive',
      'hive.metastore': 'file',
      'hive.metastore.catalog.dir': 'local:///metastore',
      'hive.partition-projection-enabled': true,
      // S3 has no folders, so a day without data must read as empty.
      'hive.ignore-absent-partitions': true,
      'fs.native-local.enabled': true,
      'local.location': storage,
    },
  };
  await mkdir(join(home, 'etc/catalog'), { recursive: true });
  await mkdir(storage);
  for (const [path, settings] of Object.entries(files)) {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(join(home, path), lines.join(''));
  }
}

const javaArguments = (home: string, { lib }: Installation): string[] => [
  '-Xmx2G',
  '-XX:+UseG1GC',
  '-XX:+ExitOnOutOfMemoryError',
  '-Dfile.encoding=UTF-8',
  '-Djdk.attach.allowAttachSelf=true',
  '--enable-native-access=ALL-UNNAMED',
  '--add-modules=jdk.incubator.vector',
  '--sun-misc-unsafe-memory-access=allow',
  `-Dconfig=${join(home, 'etc/config.properties')}`,
  '-classpath',
  join(lib, '*'),
  'io.trino.server.TrinoServer',
];

async function untilAnswering(url: string, server: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_WITHIN_MS; ; await sleep(500)) {
    if (server.exitCode !== null) throw new Error(`it ended with ${server.exitCode}`);
    try {
      await runStatement({ url }, 'SELECT 1');
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, LOOPBACK);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
