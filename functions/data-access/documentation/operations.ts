import type { Endpoint } from '../endpoints/endpoints.ts';
import { pascal } from './json-schema.ts';
import type { Operation } from './openapi-model.ts';
import { bodyOf, queryOf } from './request-schemas.ts';
import { responsesOf } from './responses.ts';

const RESOURCES: Readonly<Record<Endpoint['resource'], string>> = {
  event: 'Events are user actions, with the custom properties that the app sent.',
  session: 'Sessions are visits to the app.',
  user: 'Users are individuals, with their activity in the window and over all time.',
  screen: 'Screens are the screens of the app, with the visits to them.',
};

const ORDER: Readonly<Record<Endpoint['resource'], string>> = {
  event: 'newest first',
  session: 'newest first',
  user: 'last seen first',
  screen: '',
};

/** Alternative ways to send credentials. Without `X-App-Id`, the app is in `appid` or `app_id`. */
const SECURITY: Readonly<Record<Endpoint['style'], Operation['security']>> = {
  legacy: [
    { apiKeyHeader: [], appIdHeader: [] },
    { apiKeyHeader: [] },
    { plainKeyHeader: [] },
    { apikey: [] },
  ],
  body: [{ apiKeyHeader: [] }, { plainKeyHeader: [] }],
};

/** One endpoint as an OpenAPI operation. */
export function operationOf(endpoint: Endpoint): Operation {
  const { style, resource, read } = endpoint;
  const verb = read === 'list' ? 'list' : 'analyze';
  const name = `${verb}${pascal(resource)}s`;
  return {
    operationId: style === 'legacy' ? `legacy${pascal(name)}` : name,
    tags: [resource],
    summary: `${pascal(verb)} ${resource}s`,
    description: `${contentWords(endpoint)} ${pagingWords(endpoint)}`,
    security: SECURITY[style],
    ...(style === 'legacy'
      ? { parameters: queryOf(endpoint) }
      : { requestBody: { required: true, content: bodyOf(endpoint) } }),
    responses: responsesOf(endpoint),
  };
}

function contentWords({ resource, read }: Endpoint): string {
  if (read === 'list') return `${RESOURCES[resource]} Records are sorted ${ORDER[resource]}.`;
  const rows = resource === 'screen' ? 'one row per screen' : 'one row';
  return `${RESOURCES[resource]} Without \`group_by\`, returns ${rows}, with the requested metrics.`;
}

function pagingWords({ style, read }: Endpoint): string {
  if (style === 'body' && read === 'list')
    return 'Paging with `next_cursor` returns each record that existed at the first page exactly once.';
  if (read === 'list') return 'Pages are computed for each request, so they shift when new data arrives.';
  return style === 'legacy'
    ? 'Without `page` and `page_size`, all rows are returned at once.'
    : 'Rows are returned in pages.';
}
