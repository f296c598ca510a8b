import { ERROR_STATUSES, type ErrorBody, type ErrorCode } from '../../../shared/analytics/responses.ts';
import { RequestError } from '../requests/request-error.ts';

/** What a code means, and an answer that carries it. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly status: number;
  readonly words: string;
  readonly body: ErrorBody;
}

interface Described {
  readonly words: string;
  readonly message: string;
  /** Where in the request the fault is, and what it is; then the message is made of these. */
  readonly at?: readonly [path: string, message: string];
}

const at = (words: string, path: string, message: string): Described => ({
  words,
  message: `${path}: ${message}`,
  at: [path, message],
});
const CURSOR = 'not a cursor of this query; send next_cursor with the body that it answered, or none';

const DESCRIBED: Readonly<Record<ErrorCode, Described>> = {
  INVALID_REQUEST: at(
    'A field or parameter is unknown, missing or malformed, or the answer would be too large.',
    'limit',
    'unknown field',
  ),
  INVALID_FILTER: at('A filter does not fit the endpoint.', 'filters[0].value', 'not a number'),
  INVALID_OPERATOR: at(
    'The operator is unknown or does not fit the attribute.',
    'filters[0].operator',
    'contains does not fit session_crashed; use equal, not_equal, in, not_in',
  ),
  INVALID_GROUP_BY: at(
    'A group does not fit the endpoint, or the groups make over 10,000 rows.',
    'group_by[1].attribute',
    'device_model twice',
  ),
  INVALID_AGGREGATION: at(
    'A metric does not fit the endpoint.',
    'aggregation[0].operator',
    'event_count can only be counted',
  ),
  INVALID_CURSOR: {
    words: 'The cursor was changed, or made for another query.',
    message: CURSOR,
    at: ['cursor', CURSOR],
  },
  MISSING_CREDENTIALS: {
    words: 'No key, or in a query no app id, was sent.',
    message:
      'send the key as the header X-Api-Key or apikey, or to /v2 as the query parameter apikey; name the app as app_id in the body, or to /v2 as the header X-App-Id or the query parameter appid',
  },
  INVALID_CREDENTIALS: {
    words: 'The key is unknown, has expired or was revoked.',
    message: 'these credentials are not valid',
  },
  FORBIDDEN: {
    words: 'The key is good but may not read this app, whether it exists or not.',
    message: 'this key may not read this app',
  },
  NOT_FOUND: {
    words: 'There is nothing at this address.',
    message: 'there is no such endpoint; /docs lists those there are',
  },
  METHOD_NOT_ALLOWED: {
    words: 'The endpoint takes another method, which the header `Allow` names.',
    message: 'use GET or HEAD',
  },
  PAYLOAD_TOO_LARGE: {
    words: 'The body is over 256 KiB, or the URL over 32,768 letters.',
    message: 'the URL is over 32768 letters',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    words: 'The body was not sent as `application/json`.',
    message: 'send Content-Type: application/json',
  },
  RATE_LIMITED: {
    words: 'The key has made too many requests; `Retry-After` says when to come back.',
    message: 'too many requests; try again in 1 s',
  },
  INTERNAL: {
    words: 'The service failed. Its operators can look the request up by its id.',
    message: 'the service failed; its operators can find out why by the request id',
  },
  UNAVAILABLE: {
    words: 'The data of this app cannot be read now, or there are none yet.',
    message: 'there are no data of this app yet',
  },
  QUERY_TIMEOUT: {
    words: 'The question took too much time or memory. Narrow its window or group less.',
    message: 'the query took too much time or memory; narrow the window or group less',
  },
};

export const REFUSALS: readonly Refusal[] = (Object.keys(DESCRIBED) as ErrorCode[]).map((code) => {
  const { words, message, at: place } = DESCRIBED[code];
  const details = place ? [{ path: place[0], message: place[1] }] : [];
  return { code, status: ERROR_STATUSES[code], words, body: new RequestError(code, message, details).body() };
});
