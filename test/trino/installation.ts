import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { readEnvironment } from '../../shared/runtime/environment.ts';

const VERSION = '476';
/** The oldest Java that this version of Trino supports. */
const OLDEST_JAVA = 24;
const FETCH_MS = 10 * 60_000;
const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';
const JAVA_HOMES = ['/usr/lib/jvm/*', '/opt/java/*', '/Library/Java/JavaVirtualMachines/*/Contents/Home'];

/** This machine cannot run Trino; the message says what is missing. */
export class TrinoUnavailable extends Error {
  override readonly name = 'TrinoUnavailable';
}

export interface Installation {
  readonly java: string;
  /** The jars of the server. */
  readonly lib: string;
  /** A folder with a folder of jars for each plugin. */
  readonly plugins: string;
}

/**
 * Finds Java and downloads Trino from Maven's registry. Later calls use the cache folder `TRINO_CACHE_DIR`, by default
 * `~/.cache/deltawatch/trino`. Throws `TrinoUnavailable`.
 */
export async function installTrino(): Promise<Installation> {
  const { TRINO_CACHE_DIR, JAVA_HOME } = readEnvironment({
    TRINO_CACHE_DIR: z.string().default(join(homedir(), '.cache/deltawatch/trino')),
    JAVA_HOME: z.string().optional(),
  });
  const java = await findJava(JAVA_HOME ? [JAVA_HOME, ...JAVA_HOMES] : JAVA_HOMES);
  const home = join(TRINO_CACHE_DIR, VERSION);
  const plugins = join(home, 'plugin');
  await mkdir(plugins, { recursive: true });
  // The plugins of the server are large and not needed.
  const serverOnly = '-Dmdep.unpack.excludes=**/plugin/**';
  await fetchOnce(`io.trino:trino-server-core:${VERSION}:tar.gz`, join(home, 'server'), [serverOnly]);
  await fetchOnce(`io.trino:trino-hive:${VERSION}:zip`, join(plugins, 'hive'));
  return { java, lib: join(home, 'server', 'lib'), plugins };
}

async function findJava(homes: readonly string[]): Promise<string> {
  for (const release of homes.flatMap((home) => globSync(join(home, 'release')))) {
    const version = /^JAVA_VERSION="(\d+)/m.exec(await readFile(release, 'utf8'))?.[1];
    if (Number(version) >= OLDEST_JAVA) return join(dirname(release), 'bin', 'java');
  }
  throw new TrinoUnavailable(
    `Trino ${VERSION} needs Java ${OLDEST_JAVA} or later: install one, or set JAVA_HOME`,
  );
}

/** Unpacks an artifact without its top-level folder. */
async function fetchOnce(artifact: string, target: string, options: readonly string[] = []): Promise<void> {
  if (await exists(target)) return;
  const draft = await mkdtemp(`${target}-draft-`);
  const content = join(draft, 'content');
  const call = ['--batch-mode', '--quiet', UNPACK, `-Dartifact=${artifact}`, `-DoutputDirectory=${content}`];
  try {
    // Maven writes markers of unpacked files to its working folder.
    await promisify(execFile)('mvn', [...call, ...options], { cwd: draft, timeout: FETCH_MS }).catch(
      (cause) => {
        const doubt = 'is Maven installed, its registry in reach?';
        throw new TrinoUnavailable(`${artifact} cannot be fetched: ${doubt}`, { cause });
      },
    );
    const [whole] = globSync(join(content, '*'));
    if (whole === undefined) throw new Error(`there is nothing in ${artifact}`);
    // A rename is atomic, so the target is always complete; a concurrent download has the same content.
    await rename(whole, target).catch(async (error: unknown) => {
      if (!(await exists(target))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
