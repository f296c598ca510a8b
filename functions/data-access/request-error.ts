import {
  ERROR_STATUSES,
  type ErrorBody,
  type ErrorCode,
  type ErrorDetail,
} from '../../shared/analytics/responses.ts';

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

  body(): ErrorBody {
    const details = this.details.length > 0 ? { details: [...this.details] } : {};
    return { success: false, data: [], error: { code: this.code, message: this.message, ...details } };
  }
}
