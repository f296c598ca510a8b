import {
  ERROR_STATUSES,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
} from '../../../shared/analytics/responses.ts';
import { QueryLimitError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { redacted } from '../../../shared/runtime/redaction.ts';

const clean = (text: string): string => String(redacted('text', text));

/** A request that is answered with an error of the contract. Its message is read by the caller. */
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

  /** A message may quote what was sent, and what was sent may be a key in the wrong place. */
  body(): ErrorBody {
    const details = this.details.map(({ path, message }) => ({ path: clean(path), message: clean(message) }));
    const error = { code: this.code, message: clean(this.message), ...(details.length > 0 && { details }) };
    return { success: false, data: [], error };
  }
}

/** What the caller is told of a failure; only what was thrown for them to read is passed on. */
export function refusalOf(error: Error): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof QueryLimitError)
    return new RequestError(
      'QUERY_TIMEOUT',
      'the query took too much time or memory; narrow the window or group less',
    );
  if (error instanceof UpstreamError && error.retryable)
    return new RequestError('UNAVAILABLE', 'the data cannot be read now; try again later');
  return new RequestError('INTERNAL', 'the service failed; its operators can find out why by the request id');
}
