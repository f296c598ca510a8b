/** The deployment, a rule file or an option is invalid. A person must change it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The request of a caller is invalid, or it may not make it. Sending it again does not help. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** Another system refused, failed or did not answer. `retryable`: a later attempt may succeed. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly retryable: boolean;
  /** How long the other side asks to wait, if it says so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { retryable: boolean; retryAfterMs?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The stored `item` does not have the form that this version reads. */
export class UnreadableItemError extends UpstreamError {
  readonly item: { pk: string; sk: string };

  constructor(item: { pk: string; sk: string }, reason: string, options: { cause?: unknown } = {}) {
    super(`item ${item.pk} / ${item.sk} has an unexpected form: ${reason}`, {
      retryable: false,
      ...options,
    });
    this.item = item;
  }
}

/** Another run changed the item first. Nothing was written. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/** A limit stopped a query: time, memory or rows. */
export class QueryLimitError extends Error {
  override readonly name = 'QueryLimitError';
}

/** A query got no turn within its time limit. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Whether its message tells a person what is wrong, and what would be right. */
export const isExplained = (error: unknown): error is ConfigError | UpstreamError =>
  error instanceof ConfigError || error instanceof UpstreamError;

/** The message of an error that was caught, for the log. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}

/** Whether `error` has this code of Node, such as `ENOENT`. */
export function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The results of all. If several failed, throws one `ConfigError` with the message of each. */
export async function allOrProblems<T extends readonly unknown[] | []>(
  promises: T,
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> {
  const settled = await Promise.allSettled(promises);
  const reasons = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (reasons.length > 1 && reasons.every(isExplained))
    throw new ConfigError(reasons.map(({ message }) => message).join('\n'), {
      cause: new AggregateError(reasons),
    });
  return Promise.all(promises);
}
