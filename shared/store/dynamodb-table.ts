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
} from '@aws-sdk/lib-dynamodb';
import { callAws, inBatchesOf, sendUntilTaken } from '../aws/requests.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Change, Condition, Item, Query, Table } from './table.ts';
import { TABLE } from './table-schema.ts';

const SERVICE = 'DynamoDB';
const GETS_PER_REQUEST = 100;
const PUTS_PER_REQUEST = 25;

export interface DynamoDbTable extends Table {
  client: DynamoDBDocumentClient;
}

export function openTable(TableName: string, connection: DynamoDBClient, clock: Clock): DynamoDbTable {
  // It copies each answer for a logger, which none of our clients has.
  connection.middlewareStack.remove('loggerMiddleware');
  const client = DynamoDBDocumentClient.from(connection, {
    marshallOptions: { removeUndefinedValues: true },
  });
  const nowSeconds = () => Math.floor(clock.now() / 1000);
  /** DynamoDB removes expired items days late, and its emulator never does. */
  const isLive = (item: Item) => {
    const expiresAt = item[TABLE.expiryAttribute];
    return typeof expiresAt !== 'number' || expiresAt * 1000 > clock.now();
  };

  async function getBatch(Keys: Item[], found: Item[]): Promise<Item[]> {
    const command = new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } });
    const answer = await callAws(SERVICE, () => client.send(command));
    found.push(...(answer.Responses?.[TableName] ?? []));
    return answer.UnprocessedKeys?.[TableName]?.Keys ?? [];
  }

  async function putBatch(batch: Item[]): Promise<Item[]> {
    const requests = batch.map((item) => ({ PutRequest: { Item: item } }));
    const command = new BatchWriteCommand({ RequestItems: { [TableName]: requests } });
    const answer = await callAws(SERVICE, () => client.send(command));
    return (answer.UnprocessedItems?.[TableName] ?? []).flatMap(({ PutRequest }) => PutRequest?.Item ?? []);
  }

  async function put(item: Item, condition: Partial<PutCommandInput>): Promise<void> {
    const command = new PutCommand({ ...condition, TableName, Item: item });
    await callAws(SERVICE, () => client.send(command));
  }

  return {
    name: TableName,
    clock,
    client,

    async get(key) {
      const command = new GetCommand({ TableName, Key: key, ConsistentRead: true });
      const { Item: item } = await callAws(SERVICE, () => client.send(command));
      return item && isLive(item) ? item : undefined;
    },

    async getAll(keys) {
      const distinct = new Map(keys.map(({ pk, sk }) => [JSON.stringify([pk, sk]), { pk, sk }]));
      const found: Item[] = [];
      const batches = inBatchesOf<Item>(GETS_PER_REQUEST, [...distinct.values()]);
      const get = (batch: Item[]) => getBatch(batch, found);
      await Promise.all(batches.map((batch) => sendUntilTaken(SERVICE, clock, batch, get)));
      return found.filter(isLive);
    },

    async query(query) {
      const { atMost = Infinity } = query;
      const items: Item[] = [];
      let start: Item | undefined;
      do {
        const command = new QueryCommand({ TableName, ...inputOf(query), ExclusiveStartKey: start });
        const page = await callAws(SERVICE, () => client.send(command));
        for (const item of page.Items ?? []) if (isLive(item)) items.push(item);
        start = page.LastEvaluatedKey;
      } while (start && items.length < atMost);
      return items.slice(0, atMost);
    },

    put(item, ...conditions) {
      const { requiring, placeholders } = expression();
      return put(item, { ...requiring(conditions), ...placeholders() });
    },

    putNew: (item) =>
      put(item, {
        ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        ExpressionAttributeValues: { ':now': nowSeconds() },
      }),

    async putAll(items) {
      for (const batch of inBatchesOf<Item>(PUTS_PER_REQUEST, items))
        await sendUntilTaken(SERVICE, clock, batch, putBatch);
    },

    async update(key, change, ...conditions) {
      const command = new UpdateCommand({
        TableName,
        Key: key,
        ...updateOf(change, conditions),
      });
      const { Attributes: attributes } = await callAws(SERVICE, () => client.send(command));
      return { ...attributes, ...key };
    },
  };
}

/** Expressions with a placeholder for each name and value. */
function expression() {
  const names: Record<string, string> = {};
  const values: Item = {};
  const name = (attribute: string): string => {
    names[`#${attribute}`] = attribute;
    return `#${attribute}`;
  };
  const value = (each: unknown): string => {
    const placeholder = `:${Object.keys(values).length}`;
    values[placeholder] = each;
    return placeholder;
  };
  const holds = (condition: Condition): string => {
    const attribute = name(condition.attribute);
    if ('is' in condition) return `attribute_${condition.is === 'absent' ? 'not_' : ''}exists(${attribute})`;
    const compared =
      'equals' in condition
        ? `${attribute} = ${value(condition.equals)}`
        : `${attribute} <= ${value(condition.atMost)}`;
    return condition.orAbsent ? `(attribute_not_exists(${attribute}) OR ${compared})` : compared;
  };
  return {
    name,
    value,
    requiring: (conditions: Condition[]) =>
      conditions.length > 0 && { ConditionExpression: conditions.map(holds).join(' AND ') },
    placeholders: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  };
}

function inputOf({ index, partition, from, through, ...query }: Query): Omit<QueryCommandInput, 'TableName'> {
  const { name, value, placeholders } = expression();
  const { partitionKey, sortKey } = index ?? TABLE;
  const sort = () => name(sortKey.name);
  const keys = [
    `${name(partitionKey.name)} = ${value(partition)}`,
    ...(from !== undefined && through !== undefined
      ? [`${sort()} BETWEEN ${value(from)} AND ${value(through)}`]
      : [
          ...(from !== undefined ? [`${sort()} >= ${value(from)}`] : []),
          ...(through !== undefined ? [`${sort()} <= ${value(through)}`] : []),
        ]),
  ];
  return {
    KeyConditionExpression: keys.join(' AND '),
    ...(query.only !== undefined && { ProjectionExpression: ['pk', 'sk', query.only].map(name).join(', ') }),
    ...placeholders(),
    ...(index && { IndexName: index.name }),
    ...(query.newestFirst && { ScanIndexForward: false }),
    ...(query.atMost !== undefined && Number.isFinite(query.atMost) && { Limit: query.atMost }),
    ConsistentRead: !index && !query.mayLag,
  };
}

function updateOf({ set = {}, setIfAbsent = {}, add, include = {} }: Change, conditions: Condition[]) {
  const { name, value, requiring, placeholders } = expression();
  const defined = Object.entries(set).filter(([, each]) => each !== undefined);
  const sets = [
    ...defined.map(([key, each]) => `${name(key)} = ${value(each)}`),
    ...Object.entries(setIfAbsent).map(
      ([key, each]) => `${name(key)} = if_not_exists(${name(key)}, ${value(each)})`,
    ),
  ];
  const adds = [
    ...Object.entries(add ?? {}).map(([key, each]) => `${name(key)} ${value(each)}`),
    ...Object.entries(include).map(([key, each]) => `${name(key)} ${value(new Set([each]))}`),
  ];
  const clauses = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(adds.length > 0 ? [`ADD ${adds.join(', ')}`] : []),
  ];
  return {
    UpdateExpression: clauses.join(' '),
    ...requiring(conditions),
    ...placeholders(),
    ...(add && { ReturnValues: 'UPDATED_NEW' as const }),
  };
}
