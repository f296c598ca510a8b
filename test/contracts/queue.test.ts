import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqsQueue } from '../../shared/aws/queue.ts';
import { type Batch, batchSchema, type Queue } from '../../shared/planning/plan.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError, UpstreamError } from '../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { inMemoryQueue } from '../fakes/in-memory-queue.ts';
import { NOW } from './samples.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

function aBatch(id: string, checkCount = 1): Batch {
  const window = { startAt: NOW - HOUR_MS, endAt: NOW };
  const checks = Array.from({ length: checkCount }, (_, i) => ({
    ruleId: `checkout-errors-größer-${i}`,
    meaning: '0123456789abcdef',
    windows: [window],
  }));
  return { id, tick: 'hourly', scheduledAt: NOW, app: 'shop', checks };
}

const batches = (count: number, checkCount?: number) =>
  Array.from({ length: count }, (_, i) => aBatch(`shop-${i}`, checkCount));

function queueContract(open: () => { queue: Queue<Batch>; received: () => Batch[] }) {
  test.each([0, 1, 10, 25])('delivers each of %i items once', async (count) => {
    const { queue, received } = open();
    await queue.send(batches(count));
    expect(received()).toEqual(batches(count));
  });
}

describe('Queue in memory', () => {
  queueContract(() => {
    const queue = inMemoryQueue<Batch>();
    return { queue, received: () => queue.take() };
  });
});

describe('Queue in SQS', () => {
  let sqs: SqsServer;
  let client: SQSClient;
  const clock = new ManualClock(NOW);
  const queue = () => sqsQueue<Batch>(client, sqs.queueUrl, clock);
  const received = () => sqs.bodies.map((body) => batchSchema.parse(JSON.parse(body)));

  beforeEach(async () => {
    sqs = await startSqsServer();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    client = new SQSClient({ region: 'local', endpoint: sqs.queueUrl, credentials, maxAttempts: 1 });
  });
  afterEach(async () => {
    client.destroy();
    await sqs.close();
  });

  queueContract(() => ({ queue: queue(), received }));

  test('sends ten messages per request', async () => {
    await queue().send(batches(25));
    expect(sqs.batchSizes).toEqual([10, 10, 5]);
  });

  test('limits the bytes per request and sends large messages alone', async () => {
    await queue().send([...batches(5, 1000), aBatch('large', 7000), aBatch('small')]);
    expect(sqs.batchSizes).toEqual([2, 2, 1, 1, 1]);
    expect(received()).toHaveLength(7);
  });

  test('sends nothing if one item is too large for a message', async () => {
    const sent = queue().send([aBatch('small'), aBatch('too large', 20_000)]);
    await expect(sent).rejects.toThrow(InvalidRequestError);
    expect(sqs.batchSizes).toEqual([]);
  });

  test('retries only the entries that SQS failed to accept', async () => {
    const failing = new Set(['2', '3']);
    sqs.failureOf = ({ Id }) =>
      failing.delete(Id) ? { Code: 'InternalError', SenderFault: false } : undefined;
    await queue().send(batches(5));
    expect(sqs.batchSizes).toEqual([5, 2]);
    expect(received().map(({ id }) => id)).toEqual(['shop-0', 'shop-1', 'shop-4', 'shop-2', 'shop-3']);
  });

  test('throws a retryable error if SQS keeps failing', async () => {
    sqs.failureOf = ({ Id }) => (Id === '1' ? { Code: 'InternalError', SenderFault: false } : undefined);
    const error = await queue().send(batches(2)).catch(asThrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ retryable: true });
    expect(sqs.batchSizes).toEqual([2, 1, 1, 1, 1, 1, 1, 1]);
  });

  test.each([
    { refusal: { status: 403, code: 'AccessDeniedException' }, retryable: false },
    { refusal: { status: 400, code: 'RequestThrottled' }, retryable: true },
    { refusal: { status: 503, code: 'ServiceUnavailable' }, retryable: true },
  ])('throws on $refusal.code, retryable: $retryable', async ({ refusal, retryable }) => {
    sqs.refusals.push(refusal);
    const error = await queue().send(batches(1)).catch(asThrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ retryable, cause: expect.any(Error) });
  });

  test('does not retry an invalid message', async () => {
    sqs.failureOf = () => ({ Code: 'InvalidMessageContents', SenderFault: true });
    const error = await queue().send(batches(1)).catch(asThrown);
    expect(error).toMatchObject({ retryable: false });
    expect(sqs.batchSizes).toEqual([1]);
  });

  test('throws a retryable error if SQS is unreachable', async () => {
    await sqs.close();
    const error = await queue().send(batches(1)).catch(asThrown);
    expect(error).toMatchObject({ name: 'UpstreamError', retryable: true });
    sqs = await startSqsServer();
  });
});

function asThrown(error: unknown): unknown {
  return error;
}
