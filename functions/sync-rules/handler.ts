import { readFile } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { deploymentFor } from '../../shared/deployments/deployment.ts';
import { packedRuleSetSchema } from '../../shared/deployments/rule-store.ts';
import { AWS_CONNECTION } from '../../shared/runtime/aws-connection.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { createLogger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter } from '../../shared/runtime/metrics.ts';
import { deploymentStoreIn } from '../../shared/store/deployment-store.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { syncDeployment } from './sync-deployment.ts';

const environment = readEnvironment({
  TABLE_NAME: z.string().min(1),
  STACK_NAME: z.string().min(1),
  HAS_BUTTONS: z.stringbool(),
  AWS_LAMBDA_FUNCTION_NAME: z.string().min(1),
  // A deployment calls a published version. `$LATEST` could not tell a rollback from a deployment.
  AWS_LAMBDA_FUNCTION_VERSION: z.coerce.number({ error: 'must be the number of a published version' }),
});
const logger = createLogger('sync-rules');
const opened = openTable(environment.TABLE_NAME, new DynamoDBClient(AWS_CONNECTION), clock);
const deps = {
  ...storesIn(opened, logger, createMeter('table')),
  deployments: deploymentStoreIn(opened),
  clock,
  logger,
};

/** The deployment packs the validated rule set next to the bundle. */
const PACKED = new URL('./rule-set.json', import.meta.url);

/** Called by each deployment that changes the rules or this function. If it fails, so does the deployment. */
export const handler = () =>
  loggingFailure(logger, async () => {
    const ruleSet = packedRuleSetSchema.parse(JSON.parse(await readFile(PACKED, 'utf8')));
    const { STACK_NAME: stack, HAS_BUTTONS: hasButtons } = environment;
    const run = {
      functionName: environment.AWS_LAMBDA_FUNCTION_NAME,
      functionVersion: environment.AWS_LAMBDA_FUNCTION_VERSION,
      // What `apply` may use without a deployment.
      resources: deploymentFor(ruleSet, { stack, hasButtons }),
    };
    await syncDeployment(ruleSet, run, deps);
  });
