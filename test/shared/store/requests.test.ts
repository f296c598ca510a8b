import { ThrottlingException } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { callAws, inBatchesOf, sendUntilTaken } from '../../../shared/aws/requests.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/dynamodb-table.ts';
import { runStoreIn } from '../../../shared/store/run-store.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { onEmptyTable } from '../../contracts/both-stores.ts';
import { NOW } from '../../contracts/samples.ts';

const fault = ($fault: string, name: string) => Object.assign(new Error('of AWS'), { $fault, name });

describe('callAws', () => {
  test.each([
    ['a failed condition', fault('client', 'ConditionalCheckFailedException'), { name: 'ConflictError' }],
    ['throttling', new ThrottlingException({ message: '', $metadata: {} }), { retryable: true }],
    ['an error of the server', fault('server', 'InternalServerError'), { retryable: true }],
    ['a request that is wrong', fault('client', 'ValidationException'), { retryable: false }],
    ['a broken connection', Object.assign(new Error(), { code: 'ECONNRESET' }), { retryable: true }],
    ['a timeout', Object.assign(new Error(), { name: 'TimeoutError' }), { retryable: true }],
  ])('translates %s and keeps the cause', async (_name, cause, expected) => {
    const call = callAws('DynamoDB', () => Promise.reject(cause));
    await expect(call).rejects.toMatchObject({ name: 'UpstreamError', ...expected, cause });
  });
});

describe('sendUntilTaken', () => {
  test('doubles its pauses and gives up in the end', async () => {
    const clock = new ManualClock(0);
    const sentAt: number[] = [];
    const refuseLast = async (items: string[]) => {
      sentAt.push(clock.now());
      return items.slice(-1);
    };
    const sent = sendUntilTaken('DynamoDB', clock, ['a', 'b'], refuseLast);
    await expect(sent).rejects.toMatchObject({ name: 'UpstreamError', retryable: true });
    expect(sentAt).toEqual([0, 50, 150, 350, 750, 1550, 3150, 6350]);
  });
});

test('inBatchesOf keeps the order and all items', () => {
  expect(inBatchesOf(2, [1, 2, 3, 4, 5])).toEqual([[1, 2], [3, 4], [5]]);
  expect(inBatchesOf(2, [])).toEqual([]);
});

describe('the table', () => {
  const table = onEmptyTable();

  test('writes unprocessed items again', async () => {
    const { client, name } = table();
    let isFirst = true;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args);
        if (context.commandName !== 'BatchWriteItemCommand' || !isFirst) return answer;
        isFirst = false;
        const unprocessed = { [name]: [{ PutRequest: { Item: { pk: 'a', sk: '0', note: 'again' } } }] };
        return { ...answer, output: { ...answer.output, UnprocessedItems: unprocessed } };
      },
      { step: 'initialize' },
    );
    await table().putAll([{ pk: 'a', sk: '0', note: 'first' }]);
    expect(await table().get({ pk: 'a', sk: '0' })).toMatchObject({ note: 'again' });
  });

  test('hides expired items from all reads', async () => {
    const key = { pk: 'a', sk: '0' };
    await table().putAll([{ ...key, expiresAt: NOW / 1000 }]);
    expect(await table().get(key)).toBeUndefined();
    expect(await table().getAll([key])).toEqual([]);
  });

  test('drops a tick after a week', async () => {
    const store = runStoreIn(table());
    await store.saveTick({ id: 'hourly', scheduledAt: NOW, batches: [] });
    table().clock.advanceTo(NOW + 6 * DAY_MS);
    expect(await store.isTickComplete('hourly')).toBe(true);
    table().clock.advanceTo(NOW + 8 * DAY_MS);
    expect(await store.isTickComplete('hourly')).toBe(false);
  });

  test('reports a missing table as an error that is not retryable', async () => {
    const { client, clock } = table();
    const read = openTable('elsewhere', client, clock).get({ pk: 'a', sk: '0' });
    await expect(read).rejects.toMatchObject({
      name: 'UpstreamError',
      message: 'DynamoDB refused: ResourceNotFoundException',
      retryable: false,
    });
  });
});
