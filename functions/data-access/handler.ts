import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type APIGatewayProxyResult, handle, type LambdaEvent } from 'hono/aws-lambda';
import * as z from 'zod';
import type { KeyStore } from '../../shared/access/api-key.ts';
import { secretOfTables } from '../../shared/config/deployable-tables.ts';
import { tablesSchema } from '../../shared/config/posthog.ts';
import { DEFAULT_CATALOG, type SqlTables } from '../../shared/config/sql-tables.ts';
import { AWS_CONNECTION } from '../../shared/runtime/aws-connection.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { createLogger, type Logger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter, createRequestMeter } from '../../shared/runtime/metrics.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { apiKeysIn } from '../../shared/store/api-keys.ts';
import { appSettingsIn } from '../../shared/store/app-settings.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { rateLimiterIn } from '../../shared/store/rate-limiter.ts';
import { reportingUnreadable } from '../../shared/store/unreadable-items.ts';
import { createDataAccessApp, type DataAccessApp } from './app.ts';
import type { Apps } from './apps/apps.ts';
import { Kept, keptFor } from './apps/kept.ts';
import type { LakeAppsOptions } from './apps/lake-apps.ts';
import { type Answered, logRequests, meterRequests } from './requests/access-log.ts';
import { refusedKeys } from './requests/refused-keys.ts';

/** Answers one request of an API Gateway HTTP API, or of an invocation with the same event. */
type LambdaHandler = (event: LambdaEvent) => Promise<APIGatewayProxyResult>;

/** Lambda returns up to 6 MB; the rest is for headers. */
const MAX_ANSWER_BYTES = 6_200_000;
/** The function has 29 seconds; the rest is for keys, limits and the error response. */
const QUERIES_MS = 24_000;

function observing(name: string, logger: Logger): (request: Answered) => void {
  const observers = [logRequests(logger), meterRequests(createRequestMeter(name))];
  return (request) => {
    for (const observe of observers) observe(request);
  };
}

type SettingsOf = LakeAppsOptions['settingsOf'];

/** Reads the files of the lake with DuckDB. Loads only the packages of this engine. */
async function appsOnDuckDb(settingsOf: SettingsOf): Promise<Apps> {
  const { LAKE, FIRST_DAY, FILE_MEGABYTES } = readEnvironment({
    LAKE: z.url({ protocol: /^s3$/ }),
    FIRST_DAY: z.iso.date(),
    FILE_MEGABYTES: z.coerce.number().int().positive(),
  });
  const [{ S3Client }, { s3Objects }, { lakeApps }, { DEFAULT_LIMITS }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('../../shared/aws/objects.ts'),
    import('./apps/lake-apps.ts'),
    import('./engines/duckdb/engine.ts'),
  ]);
  const { hostname: bucket, pathname } = new URL(LAKE);
  const client = new S3Client({
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  return lakeApps({
    settingsOf,
    storage: s3Objects(client, { bucket, prefix: pathname.slice(1) }),
    firstDay: FIRST_DAY,
    folder: join(tmpdir(), 'deltawatch-lake'),
    maxFileBytes: FILE_MEGABYTES * 1e6,
    limits: { ...DEFAULT_LIMITS, timeoutMs: QUERIES_MS },
    clock,
  });
}

/** Sends queries on the lake to Athena. */
async function appsOnAthena(settingsOf: SettingsOf, workgroup: string): Promise<Apps> {
  const { DATABASE: database } = readEnvironment({ DATABASE: z.string().min(1) });
  const [{ athenaApps }, { athena, connectAthena }] = await Promise.all([
    import('./apps/athena-apps.ts'),
    import('./engines/athena/client.ts'),
  ]);
  const client = connectAthena();
  // Statements are identical within a minute; see `athenaApps`.
  const settings = { catalog: DEFAULT_CATALOG, reuseMinutes: 1, workgroup, database };
  const around = { clock, newToken: randomUUID };
  return athenaApps({
    settingsOf,
    runnerFor: (timeoutMs) => athena(client, { ...settings, timeoutMs }, around),
    timeoutMs: QUERIES_MS,
    clock,
  });
}

/** The data access service over the data of all apps, in the layout of the lake. */
function serviceHandler(): LambdaHandler {
  const environment = readEnvironment({
    TABLE_NAME: z.string().min(1),
    CURSOR_SECRET: z.string().min(1),
    /** Of Athena; without it the engine is DuckDB. */
    WORKGROUP: z.string().min(1).optional(),
    CORS_ORIGINS: z
      .string()
      .default('')
      .transform((origins) => origins.split(' ').filter(Boolean)),
  });
  const logger = createLogger('data-access');
  const opened = openTable(environment.TABLE_NAME, new DynamoDBClient(AWS_CONNECTION), clock);
  const table = reportingUnreadable(opened, logger, createMeter('table'));
  const secrets = createSecretsManagerReader(clock);
  const { settingsOf } = appSettingsIn(table);
  const { WORKGROUP: workgroup } = environment;
  const apps = new Kept(() =>
    workgroup === undefined ? appsOnDuckDb(settingsOf) : appsOnAthena(settingsOf, workgroup),
  );
  // A process that starts has more processor time than a request. The first request reports a failure.
  apps.get().catch(() => {});
  const options = {
    keys: apiKeysIn(table),
    limiter: rateLimiterIn(table),
    refused: refusedKeys(logger),
    clock,
    logger,
    corsOrigins: environment.CORS_ORIGINS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    onAnswered: observing('data-access', logger),
  };

  return (event) =>
    loggingFailure(logger, async () => {
      const cursorSecret = await secrets.readSecret(environment.CURSOR_SECRET);
      return handle(createDataAccessApp({ ...options, apps: await apps.get(), cursorSecret }))(event);
    });
}

/** The tables of a team, for check-rules. `mapping` is the file with their configuration. */
function ownTablesHandler(mapping: URL): LambdaHandler {
  const logger = createLogger('figures-for-rules');
  const tables = tablesSchema.parse(JSON.parse(readFileSync(mapping, 'utf8')));
  const secrets = createSecretsManagerReader(clock);
  let failure: Error | undefined;
  const secretName = secretOfTables(tables);
  // A password that was replaced is another secret.
  const apps = keptFor(Infinity, clock, (secret) =>
    open(tables, { secret, logger, onFailure: (error) => (failure = error) }),
  );
  return (event) =>
    loggingFailure(logger, async () => {
      // Lambda sends a process one event at a time.
      failure = undefined;
      const secret = secretName === undefined ? '' : await secrets.readSecret(secretName);
      const response = await handle(await apps.get(secret))(event);
      // A failed call causes an alarm. A response with the status 500 causes none.
      if (failure) throw failure;
      return response;
    });
}

async function open(
  tables: SqlTables,
  { secret, logger, onFailure }: { secret: string; logger: Logger; onFailure: (error: Error) => void },
): Promise<DataAccessApp> {
  const { openTables } = await import('./apps/open-tables.ts');
  const deps = { readSecret: async () => secret, folder: '.', onLambda: true, onFailure };
  return createDataAccessApp({
    apps: await openTables(tables, deps),
    keys: keysFor(Object.keys(tables.apps)),
    clock,
    logger,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    onAnswered: observing('figures-for-rules', logger),
  });
}

/** Any key, because nothing but check-rules has the right to invoke the function. */
const keysFor = (apps: readonly string[]): Pick<KeyStore, 'find' | 'noteUse'> => ({
  find: async (sha256) => ({ id: 'check-rules', sha256, apps }),
  noteUse: async () => {},
});

const { TABLES_FILE } = readEnvironment({ TABLES_FILE: z.string().min(1).optional() });

/** Over the team's own tables if the deployment packed their mapping beside the bundle; otherwise over the lake. */
export const handler =
  TABLES_FILE === undefined ? serviceHandler() : ownTablesHandler(new URL(TABLES_FILE, import.meta.url));
