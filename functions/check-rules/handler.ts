import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { retryingSoon, sqsQueue } from '../../shared/aws/queue.ts';
import { batchSchema } from '../../shared/planning/plan.ts';
import { callsWithin, type MetricSource } from '../../shared/readings/metric-source.ts';
import { AWS_CONNECTION } from '../../shared/runtime/aws-connection.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { createLogger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter } from '../../shared/runtime/metrics.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { newKnowledge } from '../../shared/source/answer-knowledge.ts';
import { invokedDataAccess } from '../../shared/source/invoked-calls.ts';
import { createHttpMetricSource } from '../../shared/source/metric-source.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { checkRules } from './check-rules.ts';
import { noteVersions } from './note-versions.ts';

const environment = readEnvironment({
  TABLE_NAME: z.string().min(1),
  WAKE_UPS_URL: z.url(),
  DATA_ACCESS_FUNCTION: z.string().min(1).optional(),
  DATA_ACCESS_URL: z.url().optional(),
  BATCHES_URL: z.url(),
  API_KEY_SECRET: z.string().min(1).optional(),
  CALL_SECONDS: z.coerce.number().positive().optional(),
  CALLS_PER_SECOND: z.coerce.number().positive(),
  CALLS_PER_HOUR: z.coerce.number().int().positive(),
  COMPARES_USERS: z.stringbool(),
  NOTES_VERSIONS: z.stringbool(),
});
const logger = createLogger('check-rules');
const opened = openTable(environment.TABLE_NAME, new DynamoDBClient(AWS_CONNECTION), clock);
const stores = storesIn(opened, logger, createMeter('table'));
const secrets = createSecretsManagerReader(clock);
const sqs = new SQSClient(AWS_CONNECTION);
const deps = {
  ...stores,
  wakeUps: sqsQueue<{ tick: string }>(sqs, environment.WAKE_UPS_URL, clock),
  clock,
  logger,
  meter: createMeter('check-rules'),
};

/** The function of the stage's own data access service, or the URL of an external one. */
function dataAccess({ DATA_ACCESS_FUNCTION, DATA_ACCESS_URL }: typeof environment) {
  // The source retries, and counts each attempt as a call.
  if (DATA_ACCESS_FUNCTION !== undefined)
    return invokedDataAccess(new LambdaClient({ maxAttempts: 1 }), DATA_ACCESS_FUNCTION);
  if (DATA_ACCESS_URL !== undefined) return { baseUrl: DATA_ACCESS_URL };
  throw new ConfigError('Neither DATA_ACCESS_FUNCTION nor DATA_ACCESS_URL is set: set one of them');
}
const service = dataAccess(environment);

/** Kept between invocations, as long as this process lives. */
const knowledge = newKnowledge();

const deliverySchema = z.object({
  Records: z.tuple([
    z.object({
      body: z.string(),
      receiptHandle: z.string(),
      attributes: z.object({ ApproximateReceiveCount: z.coerce.number() }),
    }),
  ]),
});

/** Takes one message of the queue at a time. After the last retry, it moves to the dead-letter queue. */
export const handler = (event: unknown, context?: { getRemainingTimeInMillis(): number }) =>
  loggingFailure(logger, async () => {
    const [{ body, receiptHandle, attributes }] = deliverySchema.parse(event).Records;
    const deliveries = attributes.ApproximateReceiveCount;
    const delivered = { receiptHandle, deliveries, remainingMs: context?.getRemainingTimeInMillis() };
    const queue = { client: sqs, queueUrl: environment.BATCHES_URL, logger };
    await retryingSoon(delivered, queue, () => checkBatch(body));
  });

/** A longer run may have no time left for a question about versions, with its retries. The next run asks it. */
const SHORT_RUN_MS = 120_000;

/** Without a secret, the right to invoke the function is enough, and any key will do. */
const apiKey = async (secret: string | undefined): Promise<string> =>
  secret === undefined ? 'check-rules' : secrets.readSecret(secret);

async function checkBatch(body: string): Promise<void> {
  const batch = batchSchema.parse(JSON.parse(body));
  const source = await apiKey(environment.API_KEY_SECRET).then(sourceWith, sourceWithout);
  const startedAt = clock.now();
  await checkRules(batch, { ...deps, sourceFor: () => source });
  const hasTime = clock.now() - startedAt < SHORT_RUN_MS;
  if (environment.NOTES_VERSIONS && hasTime) await noteVersions(batch, { ...deps, sourceFor: () => source });
}

function sourceWith(apiKey: string): MetricSource {
  const { CALL_SECONDS } = environment;
  return createHttpMetricSource({
    ...service,
    apiKey,
    clock,
    budget: {
      takeCalls: (app, at, calls, part) =>
        stores.runs.takeCalls(app, at, calls, callsWithin(part, environment.CALLS_PER_HOUR)),
    },
    requestsPerSecond: environment.CALLS_PER_SECOND,
    supportsBodyComparison: environment.COMPARES_USERS,
    knowledge,
    ...(CALL_SECONDS !== undefined && { timeoutMs: CALL_SECONDS * 1000 }),
  });
}

/** A missing key is no failure of this function: the health of the rules says that it is missing. */
function sourceWithout(error: unknown): MetricSource {
  if (!(error instanceof ConfigError)) throw error;
  const fail = async () => ({ kind: 'failed', reason: error.message, retryable: true }) as const;
  return { read: fail, readRange: fail, readNewestEventAt: fail };
}
