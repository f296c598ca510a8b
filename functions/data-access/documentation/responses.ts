import { pascal, ref, type Schema } from '../../../shared/contract/json-schema.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { DOCUMENTED_ERRORS } from './errors.ts';

const integer = (description: string) => ({ description, schema: { type: 'integer' } satisfies Schema });

export const HEADERS: Readonly<Record<string, { description: string; schema: Schema }>> = {
  'X-Request-Id': {
    description: 'Id of this request. Quote it when you report a problem.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': integer('The limit, per second or per hour, that is closer to being reached.'),
  'X-RateLimit-Remaining': integer('Requests that remain under that limit.'),
  'X-RateLimit-Reset': integer('Seconds until that limit resets.'),
  'Retry-After': integer('Seconds to wait before the next try.'),
  ETag: {
    description:
      'A hash of the answer. Send it as `If-None-Match` to receive 304 while the answer is the same.',
    schema: { type: 'string' },
  },
  'X-Pagination': { description: '`pagination` as JSON; only with CSV.', schema: { type: 'string' } },
};

const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Only requests with a known key count against a limit, so others have no limit headers. */
function headersOf(status: number, { style }: Endpoint): Record<string, { $ref: string }> {
  const names = [
    'X-Request-Id',
    ...(status === 401 || status === 413 ? [] : LIMITS),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(status === 200 ? ['X-Pagination'] : []),
    ...(status < 400 && style === 'legacy' ? ['ETag'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Record<string, { $ref: string }>;
  readonly content?: { 'application/json': { schema: Schema }; 'text/csv'?: { schema: Schema } };
}

export function responsesOf(endpoint: Endpoint): Record<string, ResponseObject> {
  const errors = Map.groupBy(
    DOCUMENTED_ERRORS.filter(({ code }) => isPossible(code, endpoint)),
    ({ status }) => status,
  );
  return {
    200: success(endpoint),
    ...(endpoint.style === 'legacy' && {
      304: { description: 'The answer is that of `If-None-Match`.', headers: headersOf(304, endpoint) },
    }),
    ...Object.fromEntries([...errors].map(([status, each]) => [status, failure(status, each, endpoint)])),
  };
}

/** These belong to no endpoint: the path or method is wrong. */
const WITHOUT_ENDPOINT = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

function isPossible(code: string, endpoint: Endpoint): boolean {
  const { style, read } = endpoint;
  if (WITHOUT_ENDPOINT.has(code)) return false;
  if (code === 'INVALID_AGGREGATION') return read === 'analytics';
  if (code === 'INVALID_GROUP_BY') return ['analytics', 'funnel', 'retention'].includes(read);
  if (code === 'INVALID_CURSOR') return hasCursor(endpoint);
  return code !== 'UNSUPPORTED_MEDIA_TYPE' || style === 'body';
}

const failure = (status: number, errors: typeof DOCUMENTED_ERRORS, endpoint: Endpoint): ResponseObject => ({
  description: errors.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n'),
  headers: headersOf(status, endpoint),
  content: { 'application/json': { schema: ref('Error') } },
});

/** Whether an endpoint pages with `next_cursor`; the others number their pages. */
const hasCursor = ({ style, read }: Endpoint): boolean => style === 'body' && read === 'list';

const JOURNEY = { item: 'JourneyRow', words: 'Rows of numbers of users.' };

function success(endpoint: Endpoint): ResponseObject {
  const { resource, read } = endpoint;
  const { item, words } = {
    list: { item: `${pascal(resource)}Record`, words: 'One page of records.' },
    analytics: { item: 'AnalyticsRow', words: 'Rows of metrics.' },
    catalogue: { item: 'CatalogueEntry', words: 'Names, the most frequent first.' },
    funnel: JOURNEY,
    retention: JOURNEY,
  }[read];
  return {
    description: words,
    headers: headersOf(200, endpoint),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            success: { type: 'boolean', const: true },
            data: { type: 'array', items: ref(item) },
            pagination: ref(hasCursor(endpoint) ? 'CursorPagination' : 'Pagination'),
          },
          required: ['success', 'data', 'pagination'],
          additionalProperties: false,
        },
      },
      'text/csv': { schema: { type: 'string' } },
    },
  };
}
