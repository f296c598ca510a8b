import type { Refusal } from '../messages/channel.ts';
import { UpstreamError } from '../runtime/errors.ts';
import { refusedForGood, refusedForNow } from './refusals.ts';

/** Without it, the SDK waits without limit for an answer. */
const WITHIN_LEASE = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3000, requestTimeout: 5000, throwOnRequestTimeout: true },
};

/** One client per region; `undefined` is the region of the stage. */
export function perRegion<T>(
  make: (config: typeof WITHIN_LEASE & { region?: string }) => T,
): (region: string | undefined) => T {
  const made = new Map<string | undefined, T>();
  return (region) => {
    const client = made.get(region) ?? make({ ...WITHIN_LEASE, ...(region && { region }) });
    made.set(region, client);
    return client;
  };
}

/** The region of an ARN; `undefined` for a name. A topic or bus is called in its own region. */
export function regionOf(name: string): string | undefined {
  return name.startsWith('arn:') ? name.split(':')[3] : undefined;
}

/** An AWS error as a refusal; any other error is rethrown. */
export function refusalOfAws(error: unknown): Refusal {
  if (!(error instanceof UpstreamError)) throw error;
  return error.retryable ? refusedForNow(error.message) : refusedForGood(error.message);
}
