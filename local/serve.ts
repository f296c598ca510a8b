import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createDataAccessApp } from '../functions/data-access/app.ts';
import { appIdsIn, appsIn } from '../functions/data-access/apps/apps.ts';
import { type KeyFile, keysIn } from '../functions/data-access/apps/key-file.ts';
import { type Answered, logRequests } from '../functions/data-access/requests/access-log.ts';
import { keyState } from '../shared/access/api-key.ts';
import type { Clock, Millis } from '../shared/runtime/clock.ts';
import { ConfigError, UpstreamError } from '../shared/runtime/errors.ts';
import { createLogger } from '../shared/runtime/logger.ts';
import { requirePackages } from '../shared/runtime/optional-packages.ts';
import { createSecretsFileReader } from '../shared/runtime/secrets.ts';
import { counted } from '../shared/text/counted.ts';
import { dataSpan } from './data/app-file.ts';
import { createText, exists } from './files.ts';
import { type HttpServer, listen } from './http-server.ts';
import { terminalLogger } from './terminal.ts';

const NAME = 'data-access';
const GRACE_MS = 10_000;

export interface ServeOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly corsOrigins: readonly string[];
  readonly clock: Clock;
  /** Stops the service. Running requests get ten seconds. */
  readonly signal: AbortSignal;
}

/**
 * Runs only the data access service, over a data folder, until the signal. Logs each request to stdout, as
 * text on a terminal and else as JSON. Throws `ConfigError` if the folder is missing, the port is in use or an
 * origin is invalid.
 */
export async function serve(options: ServeOptions): Promise<void> {
  requirePackages('@duckdb/node-api');
  const { dataDir, clock, signal, corsOrigins } = options;
  await requireFolder(dataDir);
  for (const app of await appIdsIn(dataDir)) await dataSpan(dataDir, app);
  const keys = keysIn(dataDir);
  // A damaged file stops the start; one that is damaged later fails the requests that need it.
  await keys.list();
  const apps = appsIn(dataDir);
  const problem = () => problemWith(keys, clock.now());
  try {
    const app = createDataAccessApp({
      keys,
      apps,
      clock,
      corsOrigins,
      cursorSecret: await cursorSecretIn(dataDir),
      problem,
      ...reporting(),
    });
    const server = await listen((request, env) => app.fetch(request, env), options);
    await notify(server, options, await problem());
    if (!signal.aborted) await once(signal, 'abort');
    await server.close(GRACE_MS);
  } finally {
    apps.close();
  }
}

/** Why no API key can be used; `undefined` if one can. */
async function problemWith(keys: KeyFile, now: Millis): Promise<string | undefined> {
  try {
    const mayRead = (await keys.kept()).some((key) => keyState(key, now) === 'good');
    return mayRead ? undefined : 'there is no API key yet: create one with deltawatch keys create';
  } catch (error) {
    if (error instanceof UpstreamError) return error.message;
    throw error;
  }
}

async function requireFolder(dataDir: string): Promise<void> {
  if (!(await exists(dataDir)))
    throw new ConfigError(
      `there is no folder ${dataDir}; import data with: deltawatch data import, or generate it with: deltawatch data generate`,
    );
}

/** Writes to stderr: stdout is for the request log. */
async function notify(
  server: HttpServer,
  { dataDir, host }: ServeOptions,
  problem: string | undefined,
): Promise<void> {
  const ids = await appIdsIn(dataDir);
  const holds = ids.length > 0 ? `${counted(ids.length, 'app')}: ${ids.join(', ')}` : 'no app yet';
  console.error(`The data access service is at ${server.url}\n${dataDir} holds ${holds}`);
  if (problem) console.error(`note: ${problem}`);
  if (!/^(127\.|localhost$|::1$)/.test(host))
    console.error('note: keys are sent unencrypted; put an HTTPS proxy in front');
}

function reporting() {
  const person = process.stdout.isTTY;
  const logger = person ? terminalLogger : createLogger(NAME);
  const onAnswered = person ? (request: Answered) => console.log(lineOf(request)) : logRequests(logger);
  return { logger, onAnswered };
}

function lineOf({ status, method, path, durationMs, appId, keyId, rows, code }: Answered): string {
  const took = `${durationMs} ms`.padStart(8);
  const outcome = code ?? (rows === undefined ? '' : counted(rows, 'row'));
  return [status, took, method.padEnd(4), path, appId, keyId, outcome].filter(Boolean).join('  ');
}

const CURSOR_SECRET = 'cursor-secret';

/** The key that signs cursors, kept in the data folder. Throws `ConfigError` if other users can read it. */
async function cursorSecretIn(dataDir: string): Promise<string> {
  const path = join(dataDir, 'service.secrets.json');
  const first = JSON.stringify({ [CURSOR_SECRET]: randomBytes(32).toString('base64url') });
  await createText(path, `${first}\n`, 0o600);
  return createSecretsFileReader(path).readSecret(CURSOR_SECRET);
}
