import { mkdir } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../shared/runtime/clock.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { openTable, type Table } from '../shared/store/dynamodb-table.ts';
import { INDEXES, TABLE } from '../shared/store/table-schema.ts';
import { startEmulator } from './emulator.ts';

const TABLE_NAME = 'deltawatch';

export interface LocalTable extends Table {
  /** The Unix socket of the emulator. */
  socketPath: string;
  close(): Promise<void>;
}

/**
 * Opens the table in a DynamoDB emulator in this process. It is stored in `folder`, which it locks, or by default
 * in memory. Writes to a folder survive a kill of the process. Throws `ConfigError` if the folder cannot be opened.
 */
export async function openLocalTable(clock: Clock, folder?: string): Promise<LocalTable> {
  if (folder !== undefined) await probe(folder);
  const emulator = await startEmulator(folder);
  const { socketPath } = emulator;
  const client = clientOf(socketPath);
  const close = async () => {
    await emulator.close();
    client.destroy();
  };
  try {
    return { ...(await openTableOf(client, clock, folder)), socketPath, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the table in the database of this client, and creates it if it is missing. An error names `folder`. */
export async function openTableOf(client: DynamoDBClient, clock: Clock, folder?: string): Promise<Table> {
  await createMissingTable(client, folder);
  return openTable(TABLE_NAME, client, clock);
}

/** The table of another process, by the socket of its emulator. Throws if the socket does not answer. */
export async function joinLocalTable(socketPath: string, clock: Clock): Promise<LocalTable> {
  const client = clientOf(socketPath);
  const close = async () => client.destroy();
  try {
    await client.send(new DescribeTableCommand({ TableName: TABLE_NAME }));
  } catch (error) {
    await close();
    throw error;
  }
  return { ...openTable(TABLE_NAME, client, clock), socketPath, close };
}

/** Whether another process locks the folder, perhaps only for a moment. */
export function isHeldElsewhere(error: unknown): boolean {
  return error instanceof ConfigError && codesOf(error).includes('LEVEL_LOCKED');
}

function codesOf({ cause }: Error): unknown[] {
  if (!(cause instanceof Error)) return [];
  return ['code' in cause ? cause.code : undefined, ...codesOf(cause)];
}

/** A client of the emulator on this socket. Host and credentials are ignored. */
export function clientOf(socketPath: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 50 });
  httpAgent.createConnection = () => connect(socketPath);
  return new DynamoDBClient({
    ...{ endpoint: 'http://localhost', region: 'local', credentials },
    requestHandler: { httpAgent },
  });
}

/** Tests whether the database can be opened: if not, the emulator would end the process. */
async function probe(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { Level }: { Level: LevelConstructor } = createRequire(import.meta.resolve('dynalite'))('level');
  const level = new Level(folder);
  try {
    await level.open();
  } catch (cause) {
    throw new ConfigError(`the table in ${folder} cannot be opened: ${whyUnopened(cause)}`, { cause });
  } finally {
    await level.close();
  }
}

/** What LevelDB says about the folder, and what would be right. */
function whyUnopened(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const said = cause instanceof Error ? cause.message : '';
  if (said.includes('No space left')) return 'the disk is full; free some space';
  if (said.includes('Permission denied'))
    return 'this user may not read and write the folder; change its rights';
  if (said.includes('lock')) return 'does another process use it?';
  return 'it is damaged; restore it from a backup, or delete it and ticks.json beside it to replay the data again';
}

type LevelConstructor = new (folder: string) => { open(): Promise<void>; close(): Promise<void> };

async function createMissingTable(client: DynamoDBClient, folder?: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(definition()));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    await requireIndexes(client, folder);
  }
  await waitUntilTableExists({ client, maxWaitTime: 5, minDelay: 0.02 }, { TableName: TABLE_NAME });
}

/** The emulator cannot add an index to an existing table. */
async function requireIndexes(client: DynamoDBClient, folder = 'memory'): Promise<void> {
  const { Table: kept } = await client.send(new DescribeTableCommand({ TableName: TABLE_NAME }));
  const names = kept?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [];
  if (INDEXES.every(({ name }) => names.includes(name))) return;
  throw new ConfigError(
    `the table in ${folder} is from an older version and cannot be upgraded: choose another folder with --state, or delete it and ticks.json beside it`,
  );
}

function definition(): CreateTableCommandInput {
  const keys = [TABLE, ...INDEXES].flatMap((keyed) => [keyed.partitionKey, keyed.sortKey]);
  return {
    TableName: TABLE_NAME,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keySchema(TABLE),
    GlobalSecondaryIndexes: INDEXES.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: index.projection },
    })),
  };
}

function keySchema(keys: { partitionKey: { name: string }; sortKey: { name: string } }) {
  return [
    { AttributeName: keys.partitionKey.name, KeyType: 'HASH' as const },
    { AttributeName: keys.sortKey.name, KeyType: 'RANGE' as const },
  ];
}
