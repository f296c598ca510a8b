import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, inject } from 'vitest';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { DynamoDbTable } from '../../shared/store/dynamodb-table.ts';
import { openSqliteTable } from '../../shared/store/sqlite-table.ts';
import type { Table } from '../../shared/store/table.ts';
import { createTable, openEmulatedTable } from '../fixtures/dynamodb.ts';
import { NOW } from './samples.ts';

/** Runs the contract on the fake, in SQLite and on an emulator of DynamoDB, each test on an empty store. */
export function onBothStores<Store>(
  makers: { inMemory: () => Store; inTable: (table: Table) => Store },
  contract: (store: () => Store) => void,
): void {
  describe('in memory', () => {
    let store: Store;
    beforeEach(() => {
      store = makers.inMemory();
    });
    contract(() => store);
  });
  onEachTable(makers.inTable, contract);
}

/** Runs the contract in SQLite and on an emulator of DynamoDB, each test on an empty table. */
export function onEachTable<Store>(
  inTable: (table: Table) => Store,
  contract: (store: () => Store) => void,
): void {
  describe.each(ENGINES)('in %s', (_, open) => {
    const table = onEmptyTable(open);
    let store: Store;
    beforeEach(() => {
      store = inTable(table());
    });
    contract(() => store);
  });
}

/** Tries to change an object that a store received or returned. Some stores freeze it. */
export function changeIfPossible(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

type EmptyTable<T extends Table> = T & { clock: ManualClock; close(): Promise<void> };

/** A new table in memory for each test of the block. Its clock starts at `NOW`. */
export function onEmptyTable(): () => EmptyTable<DynamoDbTable>;
export function onEmptyTable<T extends Table>(open: () => Promise<EmptyTable<T>>): () => EmptyTable<T>;
export function onEmptyTable(open: () => Promise<EmptyTable<Table>> = inDynamoDb) {
  let table: EmptyTable<Table>;
  beforeEach(async () => {
    table = await open();
  });
  afterEach(() => table.close());
  return () => table;
}

/** In DynamoDB Local if the tests run on it, else in the emulator in this process. */
async function inDynamoDb(): Promise<EmptyTable<DynamoDbTable>> {
  const clock = new ManualClock(NOW);
  const endpoint = inject('dynamodbLocal');
  if (endpoint === undefined) return { ...(await openEmulatedTable(clock)), clock };
  // Each access key has its own database.
  const credentials = { accessKeyId: randomUUID().replaceAll('-', ''), secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  return { ...(await createTable(client, clock)), clock, close: async () => client.destroy() };
}

async function inSqlite(): Promise<EmptyTable<Table>> {
  const clock = new ManualClock(NOW);
  const table = openSqliteTable(':memory:', clock);
  return { ...table, clock, close: async () => table.close() };
}

export const ENGINES = [
  ['SQLite', inSqlite],
  ['DynamoDB', inDynamoDb],
] as const;
