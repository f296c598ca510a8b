/** The deployment, a rule file or an option is wrong; a person must change it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A caller sent something that cannot be understood; sending it again cannot help. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** Another system refused, failed or was silent; `retryable` says whether later may be better. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly retryable: boolean;
  /** How long the other side asked us to wait, where it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { retryable: boolean; retryAfterMs?: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What is stored under `item` is not of the form that this version reads there. */
export class UnreadableItemError extends UpstreamError {
  readonly item: { pk: string; sk: string };

  constructor(item: { pk: string; sk: string }, reason: string, options: { cause?: unknown } = {}) {
    super(`item ${item.pk} / ${item.sk} is not of the form that is stored there: ${reason}`, {
      retryable: false,
      ...options,
    });
    this.item = item;
  }
}

/** Another run already did this; the work is done and nothing is lost. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/** A query was stopped by a limit: time, memory or rows. */
export class QueryLimitError extends Error {
  override readonly name = 'QueryLimitError';
}
