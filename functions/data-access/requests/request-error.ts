import {
  ERROR_STATUSES,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
} from '../../../shared/contract/responses.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { redacted } from '../../../shared/runtime/redaction.ts';

const clean = (text: string): string => String(redacted('text', text));

/** An error that the caller receives, with its message. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: ErrorCode, message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.code = code;
    this.details = details;
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
    return new RequestError('UNAVAILABLE', 'the service is busy with other queries; retry later');
  if (error instanceof UpstreamError && error.retryable)
    return new RequestError('UNAVAILABLE', 'the data cannot be read at the moment; retry later');
  return new RequestError('INTERNAL', 'internal error; the operators can find its cause by the X-Request-Id');
}
