import type { Endpoint } from '../endpoints/endpoints.ts';
import { type Example, examplesOf } from './example-requests.ts';
import { filterName } from './filter-schemas.ts';
import { jsonSchemaOf, pascal, ref, type Schema } from './json-schema.ts';
import { type JsonContent, namedExamples, type Parameter } from './openapi-model.ts';

/** The app that examples ask about. */
const EXAMPLE_APP = 'shop';

const WORDS: Readonly<Record<string, string>> = {
  app_id: 'The app to read.',
  filters: 'Conditions that all hold. Without a `date_range` among them the window is the last 30 days.',
  group_by: 'Up to 4 attributes; a row for each combination of their values.',
  aggregation: 'The metrics of each row, up to 20.',
  comparison: '`1` sets the previous period beside each metric.',
  page: 'Which page, from 1.',
  page_size: 'Records or rows on a page.',
  cursor: '`next_cursor` of the page before, sent with the same body; left out for the first page.',
  show_only: 'Sections of the records. `device` stands for `deviceBasics` and `deviceHardware`.',
};

/** What an endpoint takes besides credentials: an object, with each field described and its names spelt out. */
function requestSchema({ request, resource, read }: Endpoint): Schema {
  const schema = jsonSchemaOf(request);
  const items: Readonly<Record<string, Schema>> = {
    filters: ref(filterName(resource, read)),
    group_by: ref(`${pascal(resource)}Group`),
    aggregation: ref(`${pascal(resource)}Metric`),
  };
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    {
      description: WORDS[name],
      ...(typeof field === 'object' && field),
      ...(items[name] && { items: items[name] }),
    },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

const APP_ID: Parameter = {
  name: 'appid',
  in: 'query',
  description: 'The app to read, unless the header `X-App-Id` names it.',
  required: false,
  schema: { type: 'string' },
  examples: { shop: { summary: 'An app id', value: EXAMPLE_APP } },
};

/** The query of a legacy endpoint. Lists are written as JSON; the key is told of as the scheme of security. */
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

const exampleBody = ({ request }: Example) => ({ app_id: EXAMPLE_APP, ...request });
