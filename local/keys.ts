import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { keysIn } from '../functions/data-access/apps/key-file.ts';
import type { KeyStore } from '../shared/access/api-key.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { dynamodbApiKeys } from '../shared/store/dynamodb/api-keys.ts';
import { openTable } from '../shared/store/dynamodb/requests.ts';
import { reportingUnreadable } from '../shared/store/dynamodb/unreadable-items.ts';
import { terminalLogger } from './terminal.ts';

export { appIdsIn } from '../functions/data-access/apps/apps.ts';

/** The keys of a data directory or, if given, of a DynamoDB table in the current AWS account. */
export function keyStoreOf(place: { data: string; table?: string | undefined }, clock: Clock): KeyStore {
  if (place.table === undefined) return keysIn(place.data);
  const table = openTable(place.table, new DynamoDBClient(), clock);
  return dynamodbApiKeys(reportingUnreadable(table, terminalLogger));
}
