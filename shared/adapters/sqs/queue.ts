import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Batch } from '../../alerting/planning/plan.ts';
import type { Queue } from '../../alerting/planning/queues.ts';
import type { Clock } from '../../runtime/clock.ts';
import { InvalidRequestError, UpstreamError } from '../../runtime/errors.ts';
import { callAws, sendUntilTaken } from '../aws/requests.ts';
import type { SchemaOf } from '../schema-of.ts';

const SERVICE = 'SQS';
const ENTRIES_PER_BATCH = 10;
/** What queues have always taken at once; newer ones take more, and charge by 64 KB either way. */
const BYTES_PER_BATCH = 256 * 1024;
const BYTES_PER_MESSAGE = 1024 * 1024;

/** The body of a message that carries a piece. */
export const batchSchema = z.object({
  id: z.string(),
  tick: z.string(),
  scheduledAt: z.number(),
  app: z.string(),
  checks: z.array(
    z.object({
      ruleId: z.string(),
      meaning: z.string(),
      windows: z.array(z.object({ startAt: z.number(), endAt: z.number() })),
    }),
  ),
}) satisfies SchemaOf<Batch>;

/** The body of a message that asks to announce what a tick left owed. */
export const wakeUpSchema = z.object({ tick: z.string() });

interface Entry {
  id: string;
  body: string;
  bytes: number;
}

/**
 * Items as JSON bodies. Throws `InvalidRequestError`, before sending anything, for an item that no message can
 * hold, and `UpstreamError` when SQS took only some: delivery is at least once, so that all may be sent again.
 */
export function sqsQueue<T>(client: SQSClient, queueUrl: string, clock: Clock): Queue<T> {
  const sendBatch = async (batch: Entry[]): Promise<Entry[]> => {
    const entries = batch.map(({ id, body }) => ({ Id: id, MessageBody: body }));
    const command = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries });
    const { Failed = [] } = await callAws(SERVICE, () => client.send(command));
    const ours = Failed.find((failure) => failure.SenderFault);
    if (ours) throw new UpstreamError(`SQS refused a message: ${ours.Code}`, { retryable: false });
    return batch.filter(({ id }) => Failed.some((failure) => failure.Id === id));
  };

  return {
    async send(items) {
      for (const batch of batchesOf(items.map(entryOf)))
        await sendUntilTaken(SERVICE, clock, batch, sendBatch);
    },
  };
}

function entryOf(item: unknown, index: number): Entry {
  const body = JSON.stringify(item);
  const bytes = Buffer.byteLength(body);
  if (bytes > BYTES_PER_MESSAGE)
    throw new InvalidRequestError(`an item of ${bytes} bytes is more than an SQS message holds`);
  return { id: String(index), body, bytes };
}

/** As few batches as the order allows; an item too large to share one goes alone. */
function batchesOf(entries: Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    const last = batches.at(-1);
    if (last && last.length < ENTRIES_PER_BATCH && entry.bytes <= room) last.push(entry);
    else {
      batches.push([entry]);
      room = BYTES_PER_BATCH;
    }
    room -= entry.bytes;
  }
  return batches;
}
