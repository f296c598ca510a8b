import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import type { Queue } from '../planning/plan.ts';
import type { Clock } from '../runtime/clock.ts';
import { InvalidRequestError, UpstreamError } from '../runtime/errors.ts';
import { callAws, sendUntilTaken } from './requests.ts';

const SERVICE = 'SQS';
const ENTRIES_PER_BATCH = 10;
/** The message size that every queue accepts. Newer ones accept more; SQS charges per 64 KB in any case. */
const BYTES_PER_BATCH = 256 * 1024;
const BYTES_PER_MESSAGE = 1024 * 1024;

/** The body of a message that wakes up notify for the pending notifications of a tick. */
export const wakeUpSchema = z.object({ tick: z.string() });

interface Entry {
  id: string;
  body: string;
  bytes: number;
}

/**
 * A queue of items as JSON bodies. Throws `InvalidRequestError`, before sending anything, if an item is too large for a
 * message, and `UpstreamError` if SQS accepted only some. All may be sent again, because delivery is at least once.
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

/** As few batches as possible without reordering. An item that is too large to share a batch is sent alone. */
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
