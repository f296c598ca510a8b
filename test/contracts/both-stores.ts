import { afterEach, beforeEach, describe } from 'vitest';
import { type LocalTable, openLocalTable } from '../../local/table.ts';
import type { Table } from '../../shared/adapters/dynamodb/requests.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { NOW } from './samples.ts';

/** Runs the contract on the fake and on DynamoDB's emulator, each test on an empty store. */
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

/** A new in-memory table for each test of the block. Its clock starts at `NOW`. */
export function onEmptyTable(): () => LocalTable & { clock: ManualClock } {
  let table: LocalTable & { clock: ManualClock };
  beforeEach(async () => {
    const clock = new ManualClock(NOW);
    table = { ...(await openLocalTable(clock)), clock };
  });
  afterEach(() => table.close());
  return () => table;
}
