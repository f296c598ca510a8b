import { UpstreamError } from '../../../shared/runtime/errors.ts';

interface Closable {
  closeSync(): void;
}

/** What requests share, such as an open database. It closes after it is retired and its last request has finished. */
export interface Lease<T extends Closable> {
  readonly of: T;
  users: number;
  retired: boolean;
}

export function leaseOf<T extends Closable>(of: T): Lease<T> {
  return { of, users: 0, retired: false };
}

export function retire(lease: Lease<Closable>): void {
  lease.retired = true;
  closeIfUnused(lease);
}

/** Runs `use`. Calls `drop` after a failure from which only opening again recovers. */
export async function withLease<T extends Closable, R>(
  lease: Lease<T>,
  use: (of: T) => Promise<R>,
  drop: () => void,
): Promise<R> {
  lease.users += 1;
  try {
    return await use(lease.of);
  } catch (error) {
    // After one failure DuckDB may keep failing. A late failure must not drop what was opened since.
    if (error instanceof UpstreamError && error.retryable && !lease.retired) drop();
    throw error;
  } finally {
    lease.users -= 1;
    closeIfUnused(lease);
  }
}

function closeIfUnused({ of, users, retired }: Lease<Closable>): void {
  if (retired && users === 0) of.closeSync();
}
