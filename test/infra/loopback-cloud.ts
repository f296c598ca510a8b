import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { systemClock } from '../../shared/runtime/clock.ts';
import type { DynamoDbTable } from '../../shared/store/dynamodb-table.ts';
import { openEmulatedTable } from '../fixtures/dynamodb.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { portOf } from '../fixtures/port-of-socket.ts';
import { partitionsIn } from './table-writes.ts';

export interface LoopbackCloud extends AsyncDisposable {
  /** The address of everything: AWS, the data access service, and Slack at `/slack`. */
  url: string;
  /** The table, under any name. */
  table: DynamoDbTable;
  /** The AWS actions called since this was last cleared, with the names of IAM: `dynamodb:GetItem`. */
  actions: Set<string>;
  /** The writes to the table since this was last cleared: `PutItem ALERT#orders`. */
  writes: Set<string>;
  /** The bodies of messages to each queue, by the path of its URL. */
  messages: Map<string, string[]>;
  /** Requests to hide a message for some time. */
  hidden: unknown[];
  slack: string[];
  /** The names of the secrets that were read. */
  secrets: Set<string>;
  /** The statements sent to Athena. */
  statements: string[];
}

/** In the format of `openssl rand -base64 32`. */
export const SIGNING_KEY = 'dGhlIGtleSB0aGF0IHNpZ25zIGxpbmtzIGluIHRlc3Q=';

export const SESSION_KEY = 'dGhlIGtleSB0aGF0IHNpZ25zIHNlc3Npb25zIGluIHRlc3Q=';
const KEYS: Readonly<Record<string, string>> = { 'signing-keys': SIGNING_KEY, 'session-keys': SESSION_KEY };

const secretSchema = z.object({ SecretId: z.string() });

const NO_KEY = { error: { code: 'UNAUTHORIZED', message: 'no such key' } };

const batchSchema = z.object({
  QueueUrl: z.url(),
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});

const statementSchema = z.object({ QueryString: z.string() });

const COLUMNS = ['m0', 'm1', 'm2'];
/** The answer of Athena to every call: a query, its success and a row of threes. */
const THREES = {
  QueryExecutionId: 'query',
  QueryExecution: { Status: { State: 'SUCCEEDED' }, Statistics: { DataScannedInBytes: 7 } },
  ResultSet: {
    ResultSetMetadata: { ColumnInfo: COLUMNS.map((Name) => ({ Name, Type: 'bigint' })) },
    Rows: [COLUMNS, COLUMNS.map(() => '3')].map((cells) => ({
      Data: cells.map((VarCharValue) => ({ VarCharValue })),
    })),
  },
};

/**
 * Stand-ins on loopback for everything that the functions call: a DynamoDB emulator, queues that only accept messages,
 * secrets that hold signing keys or Slack's address, an Athena with one answer, a data access service that rejects
 * every key, over HTTP and by invocation, and a Slack that accepts everything.
 */
export async function startLoopbackCloud(): Promise<LoopbackCloud> {
  const table = await openEmulatedTable(systemClock);
  const dynamodb = await portOf(table.socketPath);
  const actions = new Set<string>();
  const writes = new Set<string>();
  const messages = new Map<string, string[]>();
  const slack: string[] = [];
  const secrets = new Set<string>();
  const hidden: unknown[] = [];
  const statements: string[] = [];

  const server = await listen(async ({ headers, url }, body, response) => {
    const [service = '', command] = String(headers['x-amz-target'] ?? '').split('.');
    const answer = (status: number, json: unknown) => response.writeHead(status).end(JSON.stringify(json));
    if (service.startsWith('DynamoDB')) {
      actions.add(`dynamodb:${command}`);
      for (const partition of partitionsIn(JSON.parse(body))) writes.add(`${command} ${partition}`);
      const stored = await fetch(dynamodb.url, { method: 'POST', headers: forwarded(headers), body });
      response.writeHead(stored.status).end(await stored.text());
    } else if (service === 'AmazonSQS') {
      const isHiding = command === 'ChangeMessageVisibility';
      actions.add(isHiding ? 'sqs:ChangeMessageVisibility' : 'sqs:SendMessage');
      if (isHiding) hidden.push(JSON.parse(body));
      answer(200, isHiding ? {} : take(messages, body));
    } else if (service === 'secretsmanager') {
      actions.add(`secretsmanager:${command}`);
      const { SecretId } = secretSchema.parse(JSON.parse(body));
      secrets.add(SecretId);
      answer(200, { SecretString: KEYS[SecretId.split('/').at(-1) ?? ''] ?? `${server.url}/slack` });
    } else if (service === 'AmazonAthena') {
      actions.add(`athena:${command}`);
      if (command === 'StartQueryExecution')
        statements.push(statementSchema.parse(JSON.parse(body)).QueryString);
      answer(200, THREES);
    } else if (url?.startsWith('/2015-03-31/functions/')) {
      actions.add('lambda:InvokeFunction');
      answer(200, { statusCode: 401, body: JSON.stringify(NO_KEY) });
    } else if (url === '/slack') {
      slack.push(body);
      response.end('ok');
    } else answer(401, NO_KEY);
  });
  return {
    url: server.url,
    table,
    actions,
    writes,
    messages,
    hidden,
    slack,
    secrets,
    statements,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await dynamodb[Symbol.asyncDispose]();
      await table.close();
    },
  };
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const { 'content-type': type = '', 'x-amz-target': target = '', authorization = '' } = headers;
  return { 'content-type': type, 'x-amz-target': String(target), authorization, 'x-amz-date': '-' };
}

function take(messages: Map<string, string[]>, body: string) {
  const { QueueUrl, Entries } = batchSchema.parse(JSON.parse(body));
  const queue = new URL(QueueUrl).pathname;
  messages.set(queue, [...(messages.get(queue) ?? []), ...Entries.map(({ MessageBody }) => MessageBody)]);
  const Successful = Entries.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: Id,
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  }));
  return { Successful, Failed: [] };
}
