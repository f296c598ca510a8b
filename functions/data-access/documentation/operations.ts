import type { Endpoint } from '../endpoints/endpoints.ts';
import { pascal } from './json-schema.ts';
import type { Operation } from './openapi-model.ts';
import { bodyOf, queryOf } from './request-schemas.ts';
import { responsesOf } from './responses.ts';

const DETAILS = {
  event: 'what users did, with the properties that were sent along',
  session: 'visits to the app, from its opening to its end',
  user: 'individuals, with what they did in the window and over all time',
  screen: 'stays on the screens of the app',
} as const satisfies Record<Endpoint['resource'], string>;

const ORDER = {
  event: 'newest first',
  session: 'newest first',
  user: 'last seen first',
  screen: '',
} as const;

/** Ways to send credentials, each enough by itself. The app goes into `appid` or `app_id` where no header names it. */
const SECURITY: Readonly<Record<Endpoint['style'], Operation['security']>> = {
  legacy: [
    { apiKeyHeader: [], appIdHeader: [] },
    { apiKeyHeader: [] },
    { plainKeyHeader: [] },
    { apikey: [] },
  ],
  body: [{ apiKeyHeader: [] }, { plainKeyHeader: [] }],
};

/** One endpoint, told of in OpenAPI's terms. */
export function operationOf(endpoint: Endpoint): Operation {
  const { style, resource, read } = endpoint;
  const verb = read === 'list' ? 'list' : 'analyze';
  const name = `${verb}${pascal(resource)}s`;
  return {
    operationId: style === 'legacy' ? `legacy${pascal(name)}` : name,
    tags: [resource],
    summary: `${pascal(verb)} ${resource}s`,
    description: `${whatIsRead(endpoint)} ${howItIsPaged(endpoint)}`,
    security: SECURITY[style],
    ...(style === 'legacy'
      ? { parameters: queryOf(endpoint) }
      : { requestBody: { required: true, content: bodyOf(endpoint) } }),
    responses: responsesOf(endpoint),
  };
}

function whatIsRead({ resource, read }: Endpoint): string {
  const subject = `${pascal(resource)}s are ${DETAILS[resource]}.`;
  if (read === 'list') return `${subject} Records come ${ORDER[resource]}.`;
  const rows =
    resource === 'screen' ? 'One row per screen unless grouped otherwise' : 'One row unless grouped';
  return `${subject} ${rows}, with the metrics that were asked for.`;
}

function howItIsPaged({ style, read }: Endpoint): string {
  if (style === 'body' && read === 'list')
    return 'A walk along `next_cursor` sees every record that was there when it began once, and none twice.';
  if (read === 'list') return 'Pages are counted anew at each request, so they move when new data come in.';
  return style === 'legacy'
    ? 'Without `page` and `page_size` all rows are answered at once.'
    : 'Rows are answered page by page.';
}
