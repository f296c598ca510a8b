import type { Clock } from '../runtime/clock.ts';
import { ConfigError, ConflictError, UpstreamError } from '../runtime/errors.ts';

const THROTTLED = [
  'KMSThrottling',
  'KMSThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'Throttled',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
];
const UNREACHABLE = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT'];

const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 50;

/**
 * Makes one call, which the SDK retries itself, and translates its errors: a failed condition to `ConflictError`,
 * missing credentials or region to `ConfigError`, all other errors of AWS or the network to `UpstreamError`.
 */
export async function callAws<T>(service: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw translated(service, cause);
  }
}

function translated(service: string, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  if (cause.name === 'ConditionalCheckFailedException')
    return new ConflictError(`${service}: another run changed this first`, { cause });
  if (cause.name === 'CredentialsProviderError' || cause.message === 'Region is missing')
    return new ConfigError(`${service} cannot be used: ${cause.message}`, { cause });
  if (isUnreachable(cause))
    return new UpstreamError(`${service} cannot be reached`, { retryable: true, cause });
  if ('$fault' in cause) {
    const retryable = cause.$fault === 'server' || isThrottled(cause.name);
    return new UpstreamError(`${service} refused: ${cause.name}`, { retryable, cause });
  }
  return cause;
}

export function isThrottled(code: string): boolean {
  return THROTTLED.includes(code);
}

function isUnreachable(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return error.name === 'TimeoutError' || UNREACHABLE.includes(code);
}

/**
 * Sends `items`, and again, after growing pauses, those that `send` returns as not accepted. Throws a retryable
 * `UpstreamError` if some are left after eight attempts.
 */
export async function sendUntilTaken<T>(
  service: string,
  clock: Clock,
  items: T[],
  send: (items: T[]) => Promise<T[]>,
): Promise<void> {
  let left = items;
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt === MAX_ATTEMPTS)
      throw new UpstreamError(`${service} did not accept ${left.length} of ${items.length} items`, {
        retryable: true,
      });
    if (attempt > 0) await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    left = await send(left);
  }
}

/** `items` in lists of at most `size`. */
export function inBatchesOf<T>(size: number, items: T[]): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}
