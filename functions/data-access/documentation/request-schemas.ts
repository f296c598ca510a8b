import type { Endpoint } from '../endpoints/endpoints.ts';
import { EXAMPLE_APP, exampleBody, examplesOf, namedExamples } from './example-requests.ts';
import { filterName } from './filter-schemas.ts';
import { jsonSchemaOf, pascal, ref, type Schema } from './json-schema.ts';
import type { JsonContent, Parameter } from './openapi-model.ts';

const FIELDS: Readonly<Record<string, string>> = {
  app_id: 'The app to query.',
  filters: 'Conditions that must all match. Without a `date_range`, the window is the last 30 days.',
  group_by: 'Up to 4 attributes. Returns one row for each combination of their values.',
  aggregation: 'Up to 20 metrics for each row.',
  comparison: '`1` adds the previous period to each metric.',
  page: 'Page number, starting at 1.',
  page_size: 'Records or rows per page.',
  cursor: '`next_cursor` of the previous page, sent with the same body. Omit it for the first page.',
  show_only: 'Sections of the record to return. `device` means `deviceBasics` and `deviceHardware`.',
};

/** What an endpoint accepts besides credentials: an object with a description and the possible names of each field. */
export function requestSchema({ request, resource, read }: Endpoint): Schema {
  const schema = jsonSchemaOf(request);
  const items: Readonly<Record<string, Schema>> = {
    filters: ref(filterName(resource, read)),
    group_by: ref(`${pascal(resource)}Group`),
    aggregation: ref(`${pascal(resource)}Metric`),
  };
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    {
      description: FIELDS[name],
      ...(typeof field === 'object' && field),
      ...(items[name] && { items: items[name] }),
    },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

export const APP_ID: Parameter = {
  name: 'appid',
  in: 'query',
  description: 'The app to query, unless the header `X-App-Id` names it.',
  required: false,
  schema: { type: 'string' },
  examples: { shop: { summary: 'An app id', value: EXAMPLE_APP } },
};

/** The query parameters of a legacy endpoint, with lists as JSON. The API key is a security scheme instead. */
export function queryOf(endpoint: Endpoint): Parameter[] {
  const { properties = {} } = requestSchema(endpoint);
  const examples = examplesOf(endpoint.resource, endpoint.read);
  const parameters = Object.entries(properties).map(([name, field]): Parameter => {
    const schema = typeof field === 'object' ? field : {};
    const { description = '', ...shape } = schema;
    const using = examples.filter(({ request }) => name in request);
    const shown = using.length > 0 ? { examples: namedExamples(using, ({ request }) => request[name]) } : {};
    return {
      name,
      in: 'query',
      description,
      required: false,
      ...(shape.type === 'array'
        ? { content: { 'application/json': { schema: shape, ...shown } } }
        : { schema: shape, ...shown }),
    };
  });
  return [APP_ID, ...parameters];
}

/** The body of a JSON-body endpoint. */
export function bodyOf(endpoint: Endpoint): JsonContent {
  const examples = examplesOf(endpoint.resource, endpoint.read);
  return {
    'application/json': {
      schema: requestSchema(endpoint),
      examples: namedExamples(examples, exampleBody),
    },
  };
}
