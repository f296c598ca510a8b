import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, inject } from 'vitest';
import { openLocalTable, openTableOf } from '../../local/table.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import type { Table } from '../../shared/store/dynamodb-table.ts';
import { NOW } from './samples.ts';

/** Runs the contract on the fake and on an emulator of DynamoDB, each test on an empty store. */
export function onBothStores<Store>(
  makers: { inMemory: () => Store; dynamodb: (table: Table) => Store },
  contract: (store: () => Store) => void,
): void {
  describe('in memory', () => {
    let store: Store;
    beforeEach(() => {
      store = makers.inMemory();
    });
    contract(() => store);
  });

  describe('in DynamoDB', () => {
    const table = onEmptyTable();
    let store: Store;
    beforeEach(() => {
      store = makers.dynamodb(table());
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

interface EmptyTable extends Table {
  clock: ManualClock;
  close(): Promise<void>;
}

/** A new table in memory for each test of the block. Its clock starts at `NOW`. */
export function onEmptyTable(): () => EmptyTable {
  let table: EmptyTable;
  beforeEach(async () => {
    table = await openEmptyTable();
  });
  afterEach(() => table.close());
  return () => table;
}

/** In DynamoDB Local if the tests run on it, else in the emulator in this process. */
async function openEmptyTable(): Promise<EmptyTable> {
  const clock = new ManualClock(NOW);
  const endpoint = inject('dynamodbLocal');
  if (endpoint === undefined) return { ...(await openLocalTable(clock)), clock };
  // Each access key has its own database.
  const credentials = { accessKeyId: randomUUID().replaceAll('-', ''), secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  return { ...(await openTableOf(client, clock)), clock, close: async () => client.destroy() };
}
