import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Logger } from '../../runtime/logger.ts';
import { callAws } from '../aws/requests.ts';

const FIRST_WAIT_SECONDS = 30;
const LAST_WAIT_SECONDS = 1800;

/** What a function needs to end after its time is up, and to be gone. */
const AFTER_TIMEOUT_SECONDS = 30;

/** A message as a queue delivered it. */
export interface Delivered {
  receiptHandle: string;
  /** How often it was delivered, this time included. */
  deliveries: number;
  /** What is left of the function's time. */
  remainingMs?: number | undefined;
}

/** Waits before the next delivery of a message that failed: doubling from 30 seconds to half an hour. */
export function waitSecondsAfter(deliveries: number): number {
  return Math.min(LAST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.max(0, deliveries - 1));
}

/**
 * Does the work of one message. The queue hides a message for much longer than its work can take, as Lambda asks for:
 * where the work fails, it is delivered again after a short wait instead, and where the process dies, when its time is up.
 * Whether it failed is still said by what is thrown.
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
      // Without it the message comes back too, only later.
      const reason = error instanceof Error ? error.message : 'unknown error';
      logger.warn('a message could not be made visible sooner', { reason });
    }
  }
}
