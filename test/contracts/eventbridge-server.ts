import { isDeepStrictEqual } from 'node:util';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import * as z from 'zod';
import { type PublishedAlert, publishedAlertSchema } from '../../shared/channels/published-alert.ts';
import { listen } from '../fixtures/loopback-server.ts';

const entrySchema = z.object({
  EventBusName: z.string().min(1),
  Source: z.literal('deltawatch'),
  DetailType: z.string().regex(/^Alert [a-z-]+$/),
  Detail: z.string(),
  Time: z.number(),
});
type Entry = z.infer<typeof entrySchema>;
const requestSchema = z.object({ Entries: z.array(entrySchema).min(1).max(10) });

export interface EventBridgeServer extends AsyncDisposable {
  client: EventBridgeClient;
  /** The accepted events, and the number of events of each request, in order. */
  events: { bus: string; type: string; detail: PublishedAlert }[];
  batchSizes: number[];
  /** Decides which entries fail; by default none. */
  failureOf: (detail: PublishedAlert) => string | undefined;
  /** Failures of the next requests. A cut closes the connection without a response. */
  troubles: ({ status: number; code: string } | 'cut' | 'silence')[];
}

/** An HTTP server on loopback that answers PutEvents as EventBridge documents it. */
export async function startEventBridgeServer(timeoutMs = 5000): Promise<EventBridgeServer> {
  const server = await listen((request, body, response) => {
    const trouble = bus.troubles.shift();
    if (trouble === 'silence') return;
    if (trouble === 'cut') return void request.socket.destroy();
    const { status, answer } = trouble ? refused(trouble) : answerTo(bus, body);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(answer));
  });
  const client = new EventBridgeClient({
    region: 'local',
    endpoint: server.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  const bus: EventBridgeServer = {
    client,
    events: [],
    batchSizes: [],
    failureOf: () => undefined,
    troubles: [],
    async [Symbol.asyncDispose]() {
      client.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
  return bus;
}

const refused = ({ status, code }: { status: number; code: string }) => ({
  status,
  answer: { __type: code, message: 'no' },
});

function answerTo(bus: EventBridgeServer, body: string) {
  const parsed = requestSchema.safeParse(JSON.parse(body));
  // Every bus accepts 256 KB. Newer ones accept more.
  if (!parsed.success || sizeOf(parsed.data.Entries) > 256 * 1024)
    return refused({ status: 400, code: 'ValidationException' });
  const { Entries } = parsed.data;
  bus.batchSizes.push(Entries.length);
  const results = Entries.map((entry, i) => {
    const sent: unknown = JSON.parse(entry.Detail);
    const detail = publishedAlertSchema.parse(sent);
    if (!isDeepStrictEqual(detail, sent)) return { ErrorCode: 'Undocumented', ErrorMessage: entry.Detail };
    const failure = bus.failureOf(detail);
    if (failure) return { ErrorCode: failure, ErrorMessage: 'no' };
    bus.events.push({ bus: entry.EventBusName, type: entry.DetailType, detail });
    return { EventId: `event-${i}` };
  });
  const FailedEntryCount = results.filter(({ ErrorCode }) => ErrorCode).length;
  return { status: 200, answer: { FailedEntryCount, Entries: results } };
}

function sizeOf(entries: Entry[]): number {
  const bytes = ({ Source, DetailType, Detail }: Entry) =>
    Buffer.byteLength(Source + DetailType + Detail) + 14;
  return entries.reduce((sum, entry) => sum + bytes(entry), 0);
}
