import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { dynamodbAppSettings } from '../../../shared/store/dynamodb/app-settings.ts';
import { openTable } from '../../../shared/store/dynamodb/requests.ts';
import { loadSettings } from '../app-file.ts';

/**
 * Writes the settings of an app to a table of the current AWS account. Returns false if the table already has
 * settings of the app and `existing` is `keep`.
 * @throws ConfigError if the app has no settings, `UpstreamError` if the table cannot be written.
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
