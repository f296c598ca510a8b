import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { errorText } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { callAws } from './requests.ts';

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
