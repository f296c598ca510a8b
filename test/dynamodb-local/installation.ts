import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { exists } from '../../local/files.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { contentHash } from '../../shared/text/content-hash.ts';

const POM = join(import.meta.dirname, 'pom.xml');
/** The oldest Java that DynamoDB Local 2 supports. */
const OLDEST_JAVA = 17;
const FETCH_MS = 10 * 60_000;
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

const run = promisify(execFile);

/** This machine cannot run DynamoDB Local; the message says what is missing. */
export class DynamoDbLocalUnavailable extends Error {
  override readonly name = 'DynamoDbLocalUnavailable';
}

/**
 * Downloads DynamoDB Local from Maven's registry, and returns the folder of its libraries. Later calls use the cache
 * folder `DYNAMODB_LOCAL_CACHE_DIR`, by default `~/.cache/deltawatch/dynamodb-local`. Throws
 * `DynamoDbLocalUnavailable`.
 */
export async function installDynamoDbLocal(): Promise<string> {
  const { DYNAMODB_LOCAL_CACHE_DIR: cache } = readEnvironment({
    DYNAMODB_LOCAL_CACHE_DIR: z.string().default(join(homedir(), '.cache/deltawatch/dynamodb-local')),
  });
  await requireJava();
  const lib = join(cache, contentHash(await readFile(POM, 'utf8')));
  if (!(await exists(lib))) await fetchTo(lib, cache);
  return lib;
}

async function requireJava(): Promise<void> {
  // The compiler of the same JDK runs the source of the server.
  const { stdout = '' } = await run('javac', ['-version']).catch(() => ({ stdout: '' }));
  const version = /^javac (\d+)/.exec(stdout)?.[1];
  if (Number(version) >= OLDEST_JAVA) return;
  throw new DynamoDbLocalUnavailable(`DynamoDB Local needs a JDK ${OLDEST_JAVA} or later in the PATH`);
}

async function fetchTo(lib: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(`${lib}-draft-`);
  const options = ['-f', POM, '-DincludeScope=runtime', `-DoutputDirectory=${draft}`];
  try {
    await run('mvn', ['--batch-mode', '--quiet', COPY, ...options], { timeout: FETCH_MS }).catch((cause) => {
      const doubt = 'is Maven installed, its registry in reach?';
      throw new DynamoDbLocalUnavailable(`DynamoDB Local cannot be fetched: ${doubt}`, { cause });
    });
    // A rename is atomic, so the folder is always complete; a concurrent download has the same content.
    await rename(draft, lib).catch(async (error: unknown) => {
      if (!(await exists(lib))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
