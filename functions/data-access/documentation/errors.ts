import { ERROR_STATUSES, type ErrorBody, type ErrorCode } from '../../../shared/contract/responses.ts';
import { CURSOR_MISMATCH } from '../answers/cursor.ts';
import { NO_CREDENTIALS } from '../requests/access-control.ts';
import { RequestError } from '../requests/request-error.ts';

/** What an error code means, and a response with it. */
export interface DocumentedError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly meaning: string;
  readonly body: ErrorBody;
}

// biome-ignore format: a table
const ERRORS: Readonly<Record<ErrorCode, readonly [meaning: string, message: string, path?: string]>> = {
  INVALID_REQUEST: ['A field or parameter is unknown, missing or malformed, or the response would be too large.', 'unknown field', 'limit'],
  INVALID_FILTER: ['A filter is not valid for this endpoint.', 'not a number', 'filters[0].value'],
  INVALID_OPERATOR: ['The operator is unknown or not valid for the attribute.', 'contains does not fit session_crashed; use equal, not_equal, in, not_in', 'filters[0].operator'],
  INVALID_GROUP_BY: ['A group is not valid for this endpoint, or the groups produce more than 10,000 rows.', 'device_model twice', 'group_by[1].attribute'],
  INVALID_AGGREGATION: ['A metric is not valid for this endpoint.', 'event_count can only be counted', 'aggregation[0].operator'],
  INVALID_CURSOR: ['The cursor was changed or belongs to another query.', CURSOR_MISMATCH, 'cursor'],
  MISSING_CREDENTIALS: ['The request has no API key or, in a query, no app id.', NO_CREDENTIALS],
  INVALID_CREDENTIALS: ['The API key is unknown, expired or revoked.', 'the API key is unknown, expired or revoked'],
  FORBIDDEN: ['The API key is valid but has no access to this app, whether or not the app exists.', 'this API key has no access to this app'],
  NOT_FOUND: ['No endpoint has this path.', 'unknown endpoint; /docs lists all endpoints'],
  METHOD_NOT_ALLOWED: ['The endpoint needs another method. The header `Allow` lists it.', 'method not allowed; use GET or HEAD'],
  PAYLOAD_TOO_LARGE: ['The body is larger than 256 KiB, or the URL is longer than 32,768 characters.', 'the URL is longer than 32768 characters'],
  UNSUPPORTED_MEDIA_TYPE: ['The body was not sent as `application/json`.', 'send the header Content-Type: application/json'],
  RATE_LIMITED: ['The API key has made too many requests. `Retry-After` says when to retry.', 'rate limit exceeded; retry in 1 s'],
  INTERNAL: ['The service failed. Its operators can find the request by its id.', 'internal error; the operators can find its cause by the X-Request-Id'],
  UNAVAILABLE: ['The data of this app cannot be read at the moment, or the app has no data yet.', 'this app has no data yet'],
  QUERY_TIMEOUT: ['The query exceeded its time or memory limit. Use a shorter window or fewer groups.', 'the query exceeded its time or memory limit; use a shorter window or fewer groups'],
};

export const DOCUMENTED_ERRORS: readonly DocumentedError[] = (Object.keys(ERRORS) as ErrorCode[]).map(
  (code) => {
    const [meaning, message, path] = ERRORS[code];
    const error =
      path === undefined
        ? new RequestError(code, message)
        : new RequestError(code, `${path}: ${message}`, [{ path, message }]);
    return { code, status: ERROR_STATUSES[code], meaning, body: error.body() };
  },
);
