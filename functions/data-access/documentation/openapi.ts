import type { Resource } from '../../../shared/contract/attributes.ts';
import { journeyRowSchema } from '../../../shared/contract/journeys.ts';
import { jsonSchemaOf, pascal, type Schema } from '../../../shared/contract/json-schema.ts';
import {
  analyticsRowSchema,
  catalogueEntrySchema,
  eventRecordSchema,
  sessionRecordSchema,
  userRecordSchema,
} from '../../../shared/contract/records.ts';
import {
  cursorPaginationSchema,
  errorBodySchema,
  paginationSchema,
} from '../../../shared/contract/responses.ts';
import { lazy } from '../../../shared/units/lazy.ts';
import { ENDPOINTS, type Endpoint } from '../endpoints/endpoints.ts';
import { bodyOf, itemSchemas, queryOf } from './request-schemas.ts';
import { HEADERS, responsesOf } from './responses.ts';
import { TOPICS } from './topics.ts';

const DESCRIPTION = [
  'What users did in an app, as records and as metrics. Read-only.',
  ...TOPICS.map(({ title, paragraphs }) => [`## ${title}`, ...paragraphs].join('\n\n')),
].join('\n\n');

export const RESOURCES: Readonly<Record<Resource, string>> = {
  event: 'Events are user actions, with the custom properties that the app sent.',
  session: 'Sessions are visits to the app.',
  user: 'Users are individuals, with their activity in the window and over all time.',
  screen: 'Screens are the screens of the app, with the visits to them.',
};
export const RESOURCE_NAMES = Object.keys(RESOURCES) as Resource[];

/** The OpenAPI document, built once, from the schemas that parse requests and the schemas of the responses. */
export const openApi = lazy(build);

function build() {
  const paths = ENDPOINTS.map((endpoint) => [endpoint.path, { [methodOf(endpoint)]: operationOf(endpoint) }]);
  return {
    openapi: '3.1.1',
    info: { title: 'Data access', version: '1', description: DESCRIPTION },
    // Relative to the URL of the document, so it is correct behind any proxy.
    servers: [{ url: '/' }],
    tags: Object.entries(RESOURCES).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths) as Record<string, Record<string, Operation>>,
    components: {
      securitySchemes: {
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        appIdHeader: { type: 'apiKey', in: 'header', name: 'X-App-Id' },
        apikey: { type: 'apiKey', in: 'query', name: 'apikey' },
      },
      headers: HEADERS,
      schemas: { ...itemSchemas(RESOURCE_NAMES), ...RESPONSE_SCHEMAS } as Record<string, Schema>,
    },
  };
}

const RESPONSE_SCHEMAS = {
  EventRecord: jsonSchemaOf(eventRecordSchema, 'output'),
  SessionRecord: jsonSchemaOf(sessionRecordSchema, 'output'),
  UserRecord: jsonSchemaOf(userRecordSchema, 'output'),
  CatalogueEntry: jsonSchemaOf(catalogueEntrySchema, 'output'),
  AnalyticsRow: jsonSchemaOf(analyticsRowSchema, 'output'),
  JourneyRow: jsonSchemaOf(journeyRowSchema, 'output'),
  Pagination: jsonSchemaOf(paginationSchema, 'output'),
  CursorPagination: jsonSchemaOf(cursorPaginationSchema, 'output'),
  Error: jsonSchemaOf(errorBodySchema, 'output'),
};

const methodOf = ({ style }: Endpoint) => (style === 'legacy' ? 'get' : 'post');

type Operation = ReturnType<typeof operationOf>;

/** Alternative ways to send credentials. Without `X-App-Id`, the app is in `appid` or `app_id`. */
const SECURITY: Readonly<Record<Endpoint['style'], Record<string, never[]>[]>> = {
  legacy: [{ apiKeyHeader: [], appIdHeader: [] }, { apiKeyHeader: [] }, { apikey: [] }],
  body: [{ apiKeyHeader: [] }],
};

interface Given {
  readonly parameters?: ReturnType<typeof queryOf>;
  readonly requestBody?: { readonly required: true; readonly content: ReturnType<typeof bodyOf> };
}

export function operationOf(endpoint: Endpoint) {
  const { style, resource, read } = endpoint;
  const verb = read === 'list' || read === 'catalogue' ? read : 'analyze';
  const subject = JOURNEYS[read] ? read : `${resource}s`;
  const name = `${verb}${pascal(subject)}`;
  const given: Given =
    style === 'legacy'
      ? { parameters: queryOf(endpoint) }
      : { requestBody: { required: true, content: bodyOf(endpoint) } };
  return {
    operationId: style === 'legacy' ? `legacy${pascal(name)}` : name,
    tags: [resource],
    summary: `${pascal(verb)} ${subject}`,
    description: `${contentWords(endpoint)} ${pagingWords(endpoint)}`,
    security: SECURITY[style],
    ...given,
    responses: responsesOf(endpoint),
  };
}

const JOURNEYS: Readonly<Partial<Record<Endpoint['read'], string>>> = {
  funnel:
    'How many users do one thing after another. A user enters each group once, with the first event in it that matches `filters` and the first step. The time of each further step is that of the first matching event after the step before, at most `within_minutes` after the first step. Events at the same millisecond are not after one another.',
  retention:
    'How many users are back on days after their first. A user belongs to the group of the first event that matches `start` and `filters`, of all time, if it is in the window, and is back on day N if an event matches `return` on the Nth calendar day after it, in the time zone of the app. Users older than the data seem new at its start: the filter `session_number_of_user` equal to 1 keeps those who are.',
};

function contentWords({ resource, read }: Endpoint): string {
  const journey = JOURNEYS[read];
  if (journey) return journey;
  const order = resource === 'user' ? 'last seen first' : 'newest first';
  if (read === 'catalogue')
    return 'The names of events in the last 30 days, up to 1000, and their properties. It may be a minute old.';
  if (read === 'list') return `${RESOURCES[resource]} Records are sorted ${order}.`;
  const rows = resource === 'screen' ? 'one row per screen' : 'one row';
  return `${RESOURCES[resource]} Without \`group_by\`, returns ${rows}, with the requested metrics.`;
}

function pagingWords({ style, read }: Endpoint): string {
  if (style === 'body' && read === 'list')
    return 'Paging with `next_cursor` returns each record that existed at the first page exactly once.';
  if (read === 'list') return 'Pages are computed for each request, so they shift when new data arrives.';
  if (read === 'catalogue') return 'All are returned at once.';
  return style === 'legacy'
    ? 'Without `page` and `page_size`, all rows are returned at once.'
    : 'Rows are returned in pages.';
}
