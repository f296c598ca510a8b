import type { DynamoDbTable } from '../../../shared/store/dynamodb-table.ts';

const WRITES = ['PutItemCommand', 'UpdateItemCommand', 'BatchWriteItemCommand'];

/** Lets `count` writes through and fails all later ones, like a process that was killed. */
export function crashAfterWrites(table: DynamoDbTable, count: number): void {
  let left = count;
  table.client.middlewareStack.add(
    (next, context) => async (args) => {
      if (WRITES.includes(String(context.commandName)) && left-- <= 0) throw new Error('crashed');
      return next(args);
    },
    { step: 'initialize', name: 'crashAfterWrites', override: true },
  );
}

/** Undoes `crashAfterWrites`. */
export function recover(table: DynamoDbTable): void {
  table.client.middlewareStack.remove('crashAfterWrites');
}
