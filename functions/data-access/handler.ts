import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import * as z from 'zod';
import { dynamodbApiKeys } from '../../shared/adapters/dynamodb/api-keys.ts';
import { dynamodbAppSettings } from '../../shared/adapters/dynamodb/app-settings.ts';
import { dynamodbRateLimiter } from '../../shared/adapters/dynamodb/rate-limiter.ts';
import { openTable } from '../../shared/adapters/dynamodb/requests.ts';
import { reportingUnreadable } from '../../shared/adapters/dynamodb/unreadable-items.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { createLogger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter, createRequestMeter } from '../../shared/runtime/metrics.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { createDataAccessApp } from './app.ts';
import { athenaApps } from './apps/athena-apps.ts';
import { athena, connectAthena, DEFAULT_ATHENA } from './engines/athena-client.ts';
import { type Answered, logRequests, meterRequests } from './requests/access-log.ts';

/** Lambda returns up to 6 MB; the rest is for headers. */
const MAX_ANSWER_BYTES = 6_200_000;
/** The function has 29 seconds; the rest is for keys, limits and the error response. */
const QUERIES_MS = 24_000;

const environment = readEnvironment({
  TABLE_NAME: z.string().min(1),
  CURSOR_SECRET: z.string().min(1),
  WORKGROUP: z.string().min(1),
  DATABASE: z.string().min(1),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((origins) => origins.split(' ').filter(Boolean)),
});
const around = { clock, newToken: randomUUID };
const logger = createLogger('data-access');
/** Without these, a stalled connection would use up the time of the function. */
const CONNECTION = {
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
};
const opened = openTable(environment.TABLE_NAME, new DynamoDBClient(CONNECTION), clock);
const table = reportingUnreadable(opened, logger, createMeter('table'));
const secrets = createSecretsManagerReader(clock, new SecretsManagerClient(CONNECTION));
const client = connectAthena();
const settings = {
  ...DEFAULT_ATHENA,
  // Statements are identical within a minute; see `athenaApps`.
  reuseMinutes: 1,
  workgroup: environment.WORKGROUP,
  database: environment.DATABASE,
};
const observers = [logRequests(logger), meterRequests(createRequestMeter('data-access'))];
const options = {
  keys: dynamodbApiKeys(table),
  limiter: dynamodbRateLimiter(table),
  apps: athenaApps({
    settingsOf: dynamodbAppSettings(table).settingsOf,
    runnerFor: (timeoutMs) => athena(client, { ...settings, timeoutMs }, around),
    timeoutMs: QUERIES_MS,
    clock,
  }),
  clock,
  logger,
  corsOrigins: environment.CORS_ORIGINS,
  maxAnswerBytes: MAX_ANSWER_BYTES,
  onAnswered: (request: Answered) => {
    for (const observe of observers) observe(request);
  },
};

/** Answers one request of an API Gateway HTTP API. */
export const handler = (event: LambdaEvent) =>
  loggingFailure(logger, async () => {
    const cursorSecret = await secrets.readSecret(environment.CURSOR_SECRET);
    return handle(createDataAccessApp({ ...options, cursorSecret }))(event);
  });
