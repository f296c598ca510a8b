import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { sqsQueue } from '../../shared/aws/queue.ts';
import { AWS_CONNECTION } from '../../shared/runtime/aws-connection.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { createLogger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter } from '../../shared/runtime/metrics.ts';
import { alertStoreIn } from '../../shared/store/alert-store.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { ruleStoreIn } from '../../shared/store/rule-store.ts';
import { runStoreIn } from '../../shared/store/run-store.ts';
import { reportingUnreadable } from '../../shared/store/unreadable-items.ts';
import { planChecks } from './plan-checks.ts';

const environment = readEnvironment({
  TABLE_NAME: z.string().min(1),
  BATCHES_URL: z.url(),
  CALLS_PER_HOUR: z.coerce.number().int().positive(),
});
const logger = createLogger('plan-checks');
const opened = openTable(environment.TABLE_NAME, new DynamoDBClient(AWS_CONNECTION), systemClock);
const table = reportingUnreadable(opened, logger, createMeter('table'));
const deps = {
  rules: ruleStoreIn(table),
  alerts: alertStoreIn(table),
  runs: runStoreIn(table),
  batches: sqsQueue(new SQSClient(AWS_CONNECTION), environment.BATCHES_URL, systemClock),
  callsPerHour: environment.CALLS_PER_HOUR,
  logger,
  meter: createMeter('plan-checks'),
};

const tickSchema = z.object({ cadence: z.string(), scheduledAt: z.iso.datetime({ offset: true }) });

/** Takes the event of a schedule: the name of the cadence, and the scheduled time. */
export const handler = (event: unknown) =>
  loggingFailure(logger, async () => {
    const { cadence, scheduledAt } = tickSchema.parse(event);
    return planChecks({ cadence, scheduledAt: Date.parse(scheduledAt) }, deps);
  });
