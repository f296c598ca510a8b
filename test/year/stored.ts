import { BatchWriteCommand, ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { inBatchesOf } from '../../shared/aws/requests.ts';
import type { DynamoDbTable } from '../../shared/store/dynamodb-table.ts';
import type { Item } from '../../shared/store/table.ts';
import { TABLE } from '../../shared/store/table-schema.ts';

/** The items of one kind, which is the first word of the partition key. */
export interface Kept {
  items: number;
  largestBytes: number;
}

/** Removes expired items, as DynamoDB does. Its emulator does not. */
export async function removeExpired(table: DynamoDbTable): Promise<void> {
  const expired = await allItems(table, {
    FilterExpression: `${TABLE.expiryAttribute} <= :now`,
    ProjectionExpression: 'pk, sk',
    ExpressionAttributeValues: { ':now': Math.floor(table.clock.now() / 1000) },
  });
  for (const keys of inBatchesOf(25, expired)) {
    const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  }
}

export async function keptByKind(table: DynamoDbTable): Promise<Record<string, Kept>> {
  const byKind = Map.groupBy(await allItems(table), ({ pk }) => String(pk).split('#')[0] ?? '');
  const kept = [...byKind].map(([kind, items]): [string, Kept] => [
    kind,
    { items: items.length, largestBytes: Math.max(...items.map(bytesOf)) },
  ]);
  return Object.fromEntries(kept);
}

async function allItems(table: DynamoDbTable, only: Partial<ScanCommandInput> = {}): Promise<Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({ ...only, TableName: table.name, ExclusiveStartKey: start }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
}

/** About what DynamoDB counts: names and values, and some bytes for each entry of a map or list. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Set || Array.isArray(value))
    return [...value].reduce((sum, each) => sum + 1 + bytesOf(each), 3);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).reduce((sum, [name, each]) => sum + 1 + name.length + bytesOf(each), 3);
  return 10;
}
