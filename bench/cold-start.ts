import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunctions, bundleHandler } from '../infra/bundles.ts';
import { measureBundle } from './bundles.ts';

const TIMES = 15;

/** Has the same clients as check-rules, and nothing else. */
const EMPTY_HANDLER = `
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
  import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
  import { SQSClient } from '@aws-sdk/client-sqs';
  const clients = [DynamoDBDocumentClient.from(new DynamoDBClient()), new SecretsManagerClient(), new SQSClient()];
  export const handler = async () => clients.length;
`;

const ENVIRONMENT = {
  TABLE_NAME: 'table',
  WAKE_UPS_URL: 'https://example.com/wake-ups',
  BATCHES_URL: 'https://example.com/batches',
  COMPARES_USERS: 'true',
  DATA_ACCESS_URL: 'https://example.com',
  API_KEY_SECRET: 'key',
  CALLS_PER_HOUR: '500',
  CALLS_PER_SECOND: '5',
};

/**
 * The load time of check-rules, relative to an empty handler with the same AWS clients. Both are bundled the same way;
 * each time is the median over new processes.
 */
export async function coldStartRatio(): Promise<{
  coldStartMsRatio: number;
  checkRulesMs: number;
  emptyMs: number;
  checkRulesBytes: number;
}> {
  const directory = await mkdtemp(join(import.meta.dirname, '..', 'node_modules', '.cold-start-'));
  try {
    await bundleFunctions(directory);
    const entry = join(directory, 'empty.mjs');
    await writeFile(entry, EMPTY_HANDLER);
    await bundleHandler(entry, join(directory, 'empty'));
    const checkRules = await measureBundle(join(directory, 'check-rules'), ENVIRONMENT, TIMES);
    const empty = await measureBundle(join(directory, 'empty'), ENVIRONMENT, TIMES);
    const [checkRulesMs, emptyMs] = [median(checkRules.loadMs), median(empty.loadMs)];
    const coldStartMsRatio = Math.round((checkRulesMs / emptyMs) * 100) / 100;
    return {
      coldStartMsRatio,
      checkRulesMs: Math.round(checkRulesMs),
      emptyMs: Math.round(emptyMs),
      checkRulesBytes: checkRules.bytes,
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function median(sorted: number[]): number {
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
