import type { Resource } from '../../../shared/contract/attributes.ts';
import {
  analyticsRowSchema,
  eventRecordSchema,
  sessionRecordSchema,
  userRecordSchema,
} from '../../../shared/contract/records.ts';
import {
  cursorPaginationSchema,
  errorBodySchema,
  paginationSchema,
} from '../../../shared/contract/responses.ts';
import { ENDPOINTS, type Endpoint } from '../endpoints/endpoints.ts';
import { filterName, filterOf, groupOf, SHAPES } from './filter-schemas.ts';
import { jsonSchemaOf, pascal, type Schema } from './json-schema.ts';
import { metricOf } from './metric-schemas.ts';
import type { OpenApi } from './openapi-model.ts';
import { operationOf } from './operations.ts';
import { HEADERS } from './responses.ts';
import { TOPICS } from './topics.ts';

const DESCRIPTION = [
  'What users did in an app, as records and as metrics. Read-only.',
  ...TOPICS.map(({ title, paragraphs }) => [`## ${title}`, ...paragraphs].join('\n\n')),
].join('\n\n');

let built: OpenApi | undefined;
/** The OpenAPI document, built once, from the schemas that parse requests and the schemas of the responses. */
export function openApi(): OpenApi {
  built ??= build(ENDPOINTS);
  return built;
}

function build(endpoints: readonly Endpoint[]): OpenApi {
  return {
    openapi: '3.1.1',
    info: { title: 'Data access', version: '1', description: DESCRIPTION },
    // Relative to the URL of the document, so it is correct behind any proxy.
    servers: [{ url: '/' }],
    tags: TAGS,
    paths: pathsOf(endpoints),
    components: {
      securitySchemes: {
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        plainKeyHeader: { type: 'apiKey', in: 'header', name: 'apikey' },
        appIdHeader: { type: 'apiKey', in: 'header', name: 'X-App-Id' },
        apikey: { type: 'apiKey', in: 'query', name: 'apikey' },
      },
      headers: HEADERS,
      schemas: { ...SHAPES, ...requestSchemas(endpoints), ...RESPONSE_SCHEMAS },
    },
  };
}

const pathsOf = (endpoints: readonly Endpoint[]): OpenApi['paths'] =>
  Object.fromEntries(
    endpoints.map((endpoint) => [
      endpoint.path,
      { [endpoint.style === 'legacy' ? 'get' : 'post']: operationOf(endpoint) },
    ]),
  );

/** The filters, groups and metrics of each resource. */
function requestSchemas(endpoints: readonly Endpoint[]): Record<string, Schema> {
  const schemas = endpoints.flatMap(({ resource, read }): [string, Schema][] => [
    [filterName(resource, read), filterOf(resource, read)],
    [`${pascal(resource)}Group`, groupOf(resource)],
    [`${pascal(resource)}Metric`, metricOf(resource)],
  ]);
  return Object.fromEntries(schemas);
}

const TAGS: readonly { readonly name: Resource; readonly description: string }[] = [
  { name: 'event', description: 'User actions.' },
  { name: 'session', description: 'Visits to the app.' },
  { name: 'user', description: 'Individuals and their activity.' },
  { name: 'screen', description: 'Visits to screens.' },
];

const rowOf = (resource: Resource): Schema => jsonSchemaOf(analyticsRowSchema(resource), 'output');

const RESPONSE_SCHEMAS: Readonly<Record<string, Schema>> = {
  EventRecord: jsonSchemaOf(eventRecordSchema, 'output'),
  SessionRecord: jsonSchemaOf(sessionRecordSchema, 'output'),
  UserRecord: jsonSchemaOf(userRecordSchema, 'output'),
  EventRow: rowOf('event'),
  SessionRow: rowOf('session'),
  UserRow: rowOf('user'),
  ScreenRow: rowOf('screen'),
  Pagination: jsonSchemaOf(paginationSchema, 'output'),
  CursorPagination: jsonSchemaOf(cursorPaginationSchema, 'output'),
  Error: jsonSchemaOf(errorBodySchema, 'output'),
};
