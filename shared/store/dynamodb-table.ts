import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { callAws, inBatchesOf, sendUntilTaken } from '../aws/requests.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConflictError, type UnreadableItemError } from '../runtime/errors.ts';
import { TABLE } from './table-schema.ts';

const SERVICE = 'DynamoDB';
const GETS_PER_REQUEST = 100;
const PUTS_PER_REQUEST = 25;

/** The table, for the stores. */
export interface Table {
  client: DynamoDBDocumentClient;
  name: string;
  clock: Clock;
  /** Called with each item that cannot be read, which is then skipped. Without it, such an item fails the read. */
  unreadable?: (error: UnreadableItemError) => void;
}

export interface Key {
  pk: string;
  sk: string;
}

export type Item = Record<string, unknown>;

export type Query = Omit<QueryCommandInput, 'TableName' | 'Limit'>;

export function openTable(name: string, client: DynamoDBClient, clock: Clock): Table {
  const marshallOptions = { removeUndefinedValues: true };
  // It copies each answer for a logger, which none of our clients has.
  client.middlewareStack.remove('loggerMiddleware');
  return { name, clock, client: DynamoDBDocumentClient.from(client, { marshallOptions }) };
}

/** The item as last written; `undefined` if it does not exist. */
export async function getItem(table: Table, key: Key): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true });
  const { Item: item } = await callAws(SERVICE, () => table.client.send(command));
  return item && isLive(table, item) ? item : undefined;
}

/** The existing items of these keys, as last written, in any order. */
export async function getItems(table: Table, keys: Key[]): Promise<Item[]> {
  const distinct = [...new Map(keys.map((key) => [JSON.stringify([key.pk, key.sk]), key])).values()];
  const found: Item[] = [];
  const get = async (batch: Item[]): Promise<Item[]> => {
    const command = new BatchGetCommand({
      RequestItems: { [table.name]: { Keys: batch, ConsistentRead: true } },
    });
    const answer = await callAws(SERVICE, () => table.client.send(command));
    found.push(...(answer.Responses?.[table.name] ?? []));
    return answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
  };
  const batches = inBatchesOf<Item>(
    GETS_PER_REQUEST,
    distinct.map(({ pk, sk }) => ({ pk, sk })),
  );
  await Promise.all(batches.map((batch) => sendUntilTaken(SERVICE, table.clock, batch, get)));
  return found.filter((item) => isLive(table, item));
}

/** All items of the query, from all pages, in the order of the sort key; or only the first `atMost`. */
export async function queryItems(table: Table, query: Query, atMost = Infinity): Promise<Item[]> {
  const items: Item[] = [];
  const limit = atMost === Infinity ? {} : { Limit: atMost };
  let start: Item | undefined;
  do {
    const command = new QueryCommand({ ...query, ...limit, TableName: table.name, ExclusiveStartKey: start });
    const page = await callAws(SERVICE, () => table.client.send(command));
    for (const item of page.Items ?? []) if (isLive(table, item)) items.push(item);
    start = page.LastEvaluatedKey;
  } while (start && items.length < atMost);
  return items.slice(0, atMost);
}

/** All items of a partition, as last written. */
export function itemsIn(
  table: Table,
  pk: string,
  query: Omit<Query, 'ConsistentRead'> = {},
  atMost = Infinity,
): Promise<Item[]> {
  const ExpressionAttributeValues = { ':pk': pk, ...query.ExpressionAttributeValues };
  const KeyConditionExpression = query.KeyConditionExpression ?? 'pk = :pk';
  return queryItems(
    table,
    { ...query, KeyConditionExpression, ExpressionAttributeValues, ConsistentRead: true },
    atMost,
  );
}

/** Throws `ConflictError` if the condition does not hold. */
export async function putItem(table: Table, put: Omit<PutCommandInput, 'TableName'>): Promise<void> {
  const command = new PutCommand({ ...put, TableName: table.name });
  await callAws(SERVICE, () => table.client.send(command));
}

/** Writes all items, in batches one after another. A crash may leave only the first ones written. */
export async function putItems(table: Table, items: Item[]): Promise<void> {
  const put = async (batch: Item[]): Promise<Item[]> => {
    const requests = batch.map((item) => ({ PutRequest: { Item: item } }));
    const command = new BatchWriteCommand({ RequestItems: { [table.name]: requests } });
    const answer = await callAws(SERVICE, () => table.client.send(command));
    return (answer.UnprocessedItems?.[table.name] ?? []).flatMap(({ PutRequest }) => PutRequest?.Item ?? []);
  };
  for (const batch of inBatchesOf(PUTS_PER_REQUEST, items))
    await sendUntilTaken(SERVICE, table.clock, batch, put);
}

/** Writes an item. Throws `ConflictError` if one with its key exists and has not expired. */
export function putNewItem(table: Table, item: Item & Key): Promise<void> {
  return putItem(table, {
    Item: item,
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: { ':now': Math.floor(table.clock.now() / 1000) },
  });
}

/** The item as `ReturnValues` asks for it. Throws `ConflictError` if the condition does not hold. */
export async function updateItem(table: Table, update: Omit<UpdateCommandInput, 'TableName'>): Promise<Item> {
  const command = new UpdateCommand({ ...update, TableName: table.name });
  const { Attributes: item } = await callAws(SERVICE, () => table.client.send(command));
  return item ?? {};
}

/** Whether a conditional write took place, for writes whose condition may fail. */
export async function tookPlace(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}

/** The expiry attribute of an item that is kept for `days` after `at`. */
export function expiryAfter(at: number, days = 0): number {
  return Math.ceil(at / 1000) + days * 86_400;
}

/** DynamoDB removes expired items days late, and its emulator never does. */
function isLive(table: Table, item: Item): boolean {
  const expiresAt = item[TABLE.expiryAttribute];
  return typeof expiresAt !== 'number' || expiresAt * 1000 > table.clock.now();
}
