import { ERROR_STATUSES, type ErrorCode } from '../../../shared/contract/responses.ts';

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  INVALID_REQUEST:
    'A field or parameter is unknown, missing or malformed, or the response would be too large.',
  INVALID_FILTER: 'A filter is not valid for this endpoint.',
  INVALID_OPERATOR: 'The operator is unknown or not valid for the attribute.',
  INVALID_GROUP_BY: 'A group is not valid for this endpoint, or the groups produce more than 10,000 rows.',
  INVALID_AGGREGATION: 'A metric is not valid for this endpoint.',
  INVALID_CURSOR: 'The cursor was changed or belongs to another query.',
  MISSING_CREDENTIALS: 'The request has no API key.',
  INVALID_CREDENTIALS: 'The API key is unknown, expired or revoked.',
  FORBIDDEN: 'The API key is valid but has no access to this app, whether or not the app exists.',
  NOT_FOUND: 'No endpoint has this path.',
  METHOD_NOT_ALLOWED: 'The endpoint needs another method. The header `Allow` lists it.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 256 KiB, or the URL is longer than 32,768 characters.',
  UNSUPPORTED_MEDIA_TYPE: 'The body was not sent as `application/json`.',
  RATE_LIMITED: 'The API key has made too many requests. `Retry-After` says when to retry.',
  INTERNAL: 'The service failed. Its operators can find the request by its id.',
  UNAVAILABLE:
    'The data of this app cannot be read at the moment, the app has no data yet, or the service is busy and `Retry-After` says when to retry.',
  QUERY_TIMEOUT: 'The query exceeded its time or memory limit. Use a shorter window or fewer groups.',
};

export const DOCUMENTED_ERRORS = (Object.keys(MEANINGS) as ErrorCode[]).map((code) => ({
  code,
  status: ERROR_STATUSES[code],
  meaning: MEANINGS[code],
}));
