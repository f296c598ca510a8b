import {
  ERROR_STATUSES,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
} from '../../../shared/contract/responses.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { redacted } from '../../../shared/runtime/redaction.ts';

const clean = (text: string): string => String(redacted('text', text));

/** When to retry if the service is busy. */
const BUSY_SECONDS = 5;

/** An error that the caller receives, with its message. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    details: readonly ErrorDetail[] = [],
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status() {
    return ERROR_STATUSES[this.code];
  }

  /** Redacted, because a message can quote the request, and a request can have a key in the wrong place. */
  body(): ErrorBody {
    const details = this.details.map(({ path, message }) => ({ path: clean(path), message: clean(message) }));
    const error = { code: this.code, message: clean(this.message), ...(details.length > 0 && { details }) };
    return { success: false, data: [], error };
  }
}

/** The error to return for any failure. Messages of errors that are not RequestErrors stay internal. */
export function requestErrorFrom(error: Error): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof QueryLimitError)
    return new RequestError(
      'QUERY_TIMEOUT',
      'the query exceeded its time or memory limit; use a shorter window or fewer groups',
    );
  if (error instanceof BusyError)
    return new RequestError('UNAVAILABLE', 'the service is busy; retry later', [], BUSY_SECONDS);
  if (error instanceof UpstreamError && error.retryable)
    return new RequestError(
      'UNAVAILABLE',
      'the data cannot be read at the moment; retry later',
      [],
      error.retryAfterMs && Math.ceil(error.retryAfterMs / 1000),
    );
  return new RequestError('INTERNAL', 'internal error; the operators can find its cause by the X-Request-Id');
}
