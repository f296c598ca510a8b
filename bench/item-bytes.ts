import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { DynamoDbTable } from '../shared/store/dynamodb-table.ts';

/** The number of items in the table, and their sizes as DynamoDB counts them: names and values, in bytes. */
export async function itemBytes(
  table: DynamoDbTable,
): Promise<{ items: number; meanItemBytes: number; largestItemBytes: number }> {
  const sizes: number[] = [];
  for await (const page of paginateScan({ client: table.client }, { TableName: table.name }))
    for (const item of page.Items ?? []) sizes.push(bytesOf(item));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return {
    items: sizes.length,
    meanItemBytes: Math.round(total / sizes.length),
    largestItemBytes: Math.max(...sizes),
  };
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === 'number') return Math.ceil(String(Math.abs(value)).replace('.', '').length / 2) + 1;
  if (value instanceof Set) return [...value].reduce<number>((sum, each) => sum + bytesOf(each), 0);
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + 1 + bytesOf(each), 3);
  if (value !== null && typeof value === 'object') {
    const isItem = 'pk' in value;
    return Object.entries(value).reduce(
      (sum, [name, each]) => sum + Buffer.byteLength(name) + bytesOf(each) + (isItem ? 0 : 1),
      isItem ? 0 : 3,
    );
  }
  return 1;
}
