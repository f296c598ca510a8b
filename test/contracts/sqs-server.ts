import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

const requestSchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});
type Entry = z.infer<typeof requestSchema>['Entries'][number];

type Failure = { Code: string; SenderFault: boolean };

export interface SqsServer {
  queueUrl: string;
  /** The accepted bodies, and the number of messages of each request, in order. */
  bodies: string[];
  batchSizes: number[];
  /** Decides which entries fail; by default none. */
  failureOf: (entry: Entry) => Failure | undefined;
  /** Refusals of the next requests, each with an HTTP status and an error code. */
  refusals: { status: number; code: string }[];
  close(): Promise<void>;
}

/** An HTTP server on loopback that answers SendMessageBatch as SQS documents it, in its JSON protocol. */
export async function startSqsServer(): Promise<SqsServer> {
  const http = createServer(async (request, response) => {
    const { status, answer } = answerTo(sqs, request, await text(request));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const sqs: SqsServer = {
    queueUrl: `http://127.0.0.1:${port}/123456789012/batches`,
    bodies: [],
    batchSizes: [],
    failureOf: () => undefined,
    refusals: [],
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  return sqs;
}

function answerTo(sqs: SqsServer, request: IncomingMessage, body: string) {
  const refused = (status: number, code: string) => ({
    status,
    answer: { __type: `com.amazonaws.sqs#${code}`, message: code },
  });
  const refusal = sqs.refusals.shift();
  if (refusal) return refused(refusal.status, refusal.code);
  if (request.headers['x-amz-target'] !== 'AmazonSQS.SendMessageBatch')
    return refused(400, 'UnsupportedOperation');
  const { Entries } = requestSchema.parse(JSON.parse(body));
  if (Entries.length === 0) return refused(400, 'EmptyBatchRequest');
  if (Entries.length > 10) return refused(400, 'TooManyEntriesInBatchRequest');
  if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length)
    return refused(400, 'BatchEntryIdsNotDistinct');
  const bytes = Entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
  if (bytes > 1024 * 1024) return refused(400, 'BatchRequestTooLong');

  sqs.batchSizes.push(Entries.length);
  const outcomes = Entries.map((entry) => ({ entry, failure: sqs.failureOf(entry) }));
  const taken = outcomes.flatMap(({ entry, failure }) => (failure ? [] : [entry]));
  sqs.bodies.push(...taken.map(({ MessageBody }) => MessageBody));
  const Successful = taken.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: `message-${Id}`,
    MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
  }));
  const Failed = outcomes.flatMap(({ entry, failure }) => (failure ? [{ Id: entry.Id, ...failure }] : []));
  return { status: 200, answer: { Successful, Failed } };
}
