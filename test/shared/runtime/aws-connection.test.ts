import { globSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AWS_CONNECTION } from '../../../shared/runtime/aws-connection.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { createSecretsManagerReader } from '../../../shared/runtime/secrets.ts';

let silent: Server;
let port: number;
beforeAll(async () => {
  silent = createServer((socket) => void socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  port = address !== null && typeof address === 'object' ? address.port : 0;
});
afterAll(() => void silent.close());

const config = () => ({
  ...AWS_CONNECTION,
  endpoint: `http://127.0.0.1:${port}`,
  region: 'eu-north-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  maxAttempts: 1,
});

test.concurrent.each<[string, () => Promise<unknown>]>([
  ['DynamoDB', () => new DynamoDBClient(config()).send(new ListTablesCommand())],
  ['SQS', () => new SQSClient(config()).send(new SendMessageCommand({ QueueUrl: 'q', MessageBody: 'm' }))],
  [
    'Secrets Manager',
    () =>
      createSecretsManagerReader(new ManualClock(0), new SecretsManagerClient(config())).readSecret('key'),
  ],
])(
  'a request to %s that is accepted and never answered ends after two seconds',
  async (_, send) => {
    const startedAt = performance.now();
    await expect(send()).rejects.toThrow(/timed? ?out|failed to return/i);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  },
  8_000,
);

test('every client in a function has the timeouts', () => {
  const files = ['shared/runtime/secrets.ts', ...globSync('functions/*/handler.ts')];
  const clients = files.flatMap(
    (file) => readFileSync(file, 'utf8').match(/new (?:DynamoDB|SQS|SecretsManager)Client\(.*?\)/g) ?? [],
  );
  expect(clients.length).toBeGreaterThan(6);
  expect(clients.filter((each) => !each.endsWith('(AWS_CONNECTION)'))).toEqual([]);
});
