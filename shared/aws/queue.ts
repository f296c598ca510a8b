import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Queue } from '../planning/plan.ts';
import type { Clock } from '../runtime/clock.ts';
import { errorText, InvalidRequestError, UpstreamError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { callAws, sendUntilTaken } from './requests.ts';

const SERVICE = 'SQS';
const ENTRIES_PER_BATCH = 10;
/** The message size that every queue accepts. Newer ones accept more; SQS charges per 64 KB in any case. */
const BYTES_PER_BATCH = 256 * 1024;
const BYTES_PER_MESSAGE = 1024 * 1024;

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

const FIRST_WAIT_SECONDS = 30;
const LAST_WAIT_SECONDS = 1800;

/** Time for a function to end after its timeout. */
const AFTER_TIMEOUT_SECONDS = 30;

/** A message as a queue delivered it. */
export interface Delivered {
  receiptHandle: string;
  /** The number of deliveries, including this one. */
  deliveries: number;
  /** The remaining time of the function. */
  remainingMs?: number | undefined;
}

/** Waits before the next delivery of a message that failed: doubling from 30 seconds to half an hour. */
export function waitSecondsAfter(deliveries: number): number {
  return Math.min(LAST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.max(0, deliveries - 1));
}

/**
 * Does the work of one message. The visibility timeout is much longer than the work can take, as Lambda recommends. So
 * a failed message is made visible after a short wait instead, and one of a crashed process after the function's
 * timeout. Rethrows the error of the work.
 */
export async function retryingSoon(
  delivered: Delivered,
  { client, queueUrl, logger }: { client: SQSClient; queueUrl: string; logger: Logger },
  work: () => Promise<void>,
): Promise<void> {
  const { receiptHandle, deliveries, remainingMs } = delivered;
  if (remainingMs !== undefined) await hideFor(Math.ceil(remainingMs / 1000) + AFTER_TIMEOUT_SECONDS);
  try {
    await work();
  } catch (error) {
    await hideFor(waitSecondsAfter(deliveries));
    throw error;
  }

  async function hideFor(seconds: number): Promise<void> {
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: queueUrl,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    });
    try {
      await callAws('SQS', () => client.send(command));
    } catch (error) {
      // The message is also redelivered without this, only later.
      logger.warn('a message could not be made visible sooner', { reason: errorText(error) });
    }
  }
}
