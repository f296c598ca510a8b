import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { retryingSoon, waitSecondsAfter } from '../../../shared/aws/queue.ts';
import { type LoopbackServer, listen } from '../../fixtures/loopback-server.ts';

let server: LoopbackServer;
let status = 200;
let asked: unknown[] = [];
beforeAll(async () => {
  server = await listen(({ headers }, body, response) => {
    asked.push([headers['x-amz-target'], JSON.parse(body)]);
    response
      .writeHead(status)
      .end(JSON.stringify(status === 200 ? {} : { __type: 'x#ReceiptHandleIsInvalid' }));
  });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  status = 200;
  asked = [];
});

const warned: string[] = [];
const logger = { info: () => {}, warn: (message: string) => void warned.push(message), error: () => {} };

function retrying(of: { deliveries: number; remainingMs?: number }, work: () => Promise<void>) {
  const client = new SQSClient({
    ...{ endpoint: server.url, region: 'local', maxAttempts: 1 },
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });
  const queueUrl = `${server.url}/1/batches`;
  return retryingSoon({ receiptHandle: 'one', ...of }, { client, queueUrl, logger }, work);
}

const hiding = (seconds: number) => [
  'AmazonSQS.ChangeMessageVisibility',
  { QueueUrl: `${server.url}/1/batches`, ReceiptHandle: 'one', VisibilityTimeout: seconds },
];
const failing = () => Promise.reject(new Error('down'));

test('retryingSoon shortens the visibility timeout after a failure and rethrows it', async () => {
  await expect(retrying({ deliveries: 1 }, failing)).rejects.toThrow('down');
  await expect(retrying({ deliveries: 3 }, failing)).rejects.toThrow('down');
  expect(asked).toEqual([hiding(30), hiding(120)]);
});

test('retryingSoon changes nothing after success', async () => {
  await retrying({ deliveries: 1 }, async () => {});
  expect(asked).toEqual([]);
});

test('retryingSoon hides the message for the remaining run time first', async () => {
  let before: unknown[] = [];
  await retrying({ deliveries: 1, remainingMs: 299_500 }, async () => {
    before = [...asked];
  });
  expect(before).toEqual([hiding(330)]);
});

test('a refused visibility change is logged and keeps the outcome of the work', async () => {
  status = 400;
  let done = 0;
  await retrying({ deliveries: 1, remainingMs: 1000 }, async () => {
    done += 1;
  });
  expect(done).toBe(1);
  await expect(retrying({ deliveries: 1 }, failing)).rejects.toThrow('down');
  expect(warned).toEqual(Array(2).fill('a message could not be made visible sooner'));
});

test('waitSecondsAfter doubles up to half an hour', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map(waitSecondsAfter);
  expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1800]);
  expect(waitSecondsAfter(1000)).toBe(1800);
});
