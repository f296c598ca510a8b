import type { Endpoint } from '../endpoints/endpoints.ts';
import { REFUSALS, type Refusal } from './errors.ts';
import { ANSWERS } from './example-answers.ts';
import { type Example, examplesOf } from './example-requests.ts';
import { pascal, ref, type Schema } from './json-schema.ts';
import { type Answered, namedExamples } from './openapi-model.ts';

export const HEADERS: Readonly<Record<string, { description: string; schema: Schema }>> = {
  'X-Request-Id': {
    description: 'Id of this request, for whoever asks about it.',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the key may make, in the second or hour that it is closer to the end of.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': { description: 'Seconds until they are renewed.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
};

const LIMITS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Headers of an answer. Only requests whose key is known are counted against a limit. */
function headersOf(status: number): Answered['headers'] {
  const names = [
    'X-Request-Id',
    ...(status === 401 || status === 413 ? [] : LIMITS),
    ...(status === 429 ? ['Retry-After'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function responsesOf(endpoint: Endpoint): Record<string, Answered> {
  const refusals = Map.groupBy(
    REFUSALS.filter(({ code }) => isPossible(code, endpoint)),
    ({ status }) => status,
  );
  return {
    200: success(endpoint),
    ...Object.fromEntries([...refusals].map(([status, each]) => [status, refused(status, each)])),
  };
}

/** Of no single endpoint: another address or method. */
const ELSEWHERE = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED']);

function isPossible(code: string, { style, read }: Endpoint): boolean {
  if (ELSEWHERE.has(code)) return false;
  if (code === 'INVALID_GROUP_BY' || code === 'INVALID_AGGREGATION') return read === 'analytics';
  if (code === 'INVALID_CURSOR') return style === 'body' && read === 'list';
  return code !== 'UNSUPPORTED_MEDIA_TYPE' || style === 'body';
}

function refused(status: number, refusals: readonly Refusal[]): Answered {
  const examples = refusals.map(({ code, words, body }) => [code, { summary: words, value: body }]);
  return {
    description: refusals.map(({ code, words }) => `\`${code}\`: ${words}`).join('\n\n'),
    headers: headersOf(status),
    content: {
      'application/json': { schema: ref('Error'), examples: Object.fromEntries(examples) },
    },
  };
}

function success(endpoint: Endpoint): Answered {
  const { style, resource, read } = endpoint;
  const item = `${pascal(resource)}${read === 'list' ? 'Record' : 'Row'}`;
  const walked = style === 'body' && read === 'list';
  return {
    description: read === 'list' ? 'One page of records.' : 'Rows of figures.',
    headers: headersOf(200),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            success: { type: 'boolean', const: true },
            data: { type: 'array', items: ref(item) },
            pagination: ref(walked ? 'CursorPagination' : 'Pagination'),
          },
          required: ['success', 'data', 'pagination'],
          additionalProperties: false,
        },
        examples: namedExamples(examplesOf(resource, read), (example) => answerTo(example, walked)),
      },
    },
  };
}

/** All examples are answered on one page. */
function answerTo({ name }: Example, walked: boolean) {
  const data = ANSWERS[name] ?? [];
  const pagination = walked
    ? { page_size: 500, current_page: 1, next_page: null, has_more: false, next_cursor: '' }
    : { current: 1, next: null, total: data.length };
  return { success: true, data, pagination };
}
