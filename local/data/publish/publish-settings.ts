import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamodbAppSettings } from '../../../shared/adapters/dynamodb/app-settings.ts';
import { openTable } from '../../../shared/adapters/dynamodb/requests.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { loadSettings } from '../app-file.ts';

/**
 * Puts the settings of an app into a table of the AWS account at hand; false where it has some there already and
 * `existing` is to keep them.
 * @throws ConfigError where the app has none, `UpstreamError` where the table cannot be written.
 */
export async function publishSettings(
  place: { dir: string; app: string },
  to: { tableName: string; existing: 'keep' | 'replace' },
  clock: Clock,
): Promise<boolean> {
  const settings = await loadSettings(place.dir, place.app);
  if (settings === undefined) throw new ConfigError(`App ${place.app} has no settings in ${place.dir}`);
  const stored = dynamodbAppSettings(openTable(to.tableName, new DynamoDBClient(), clock));
  if (to.existing === 'keep') return stored.saveFirst(settings);
  await stored.save(settings);
  return true;
}
