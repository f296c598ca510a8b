import { COUNTS, NUMBERS } from '../../../shared/contract/aggregations.ts';
import { attributeNames, type Resource } from '../../../shared/contract/attributes.ts';
import { sentFilterSchema } from '../../../shared/contract/filters.ts';
import { aggregationSchema, groupBySchema, OPERATIONS } from '../../../shared/contract/grouping.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { EXAMPLE_APP, exampleBody, exampleOf } from './example-requests.ts';
import { jsonSchemaOf, pascal, ref, type Schema } from './json-schema.ts';

/** The shape of every filter, group and metric; the schemas of a resource add its names. */
const SHAPES = {
  Filter: jsonSchemaOf(sentFilterSchema),
  Group: jsonSchemaOf(groupBySchema),
  Metric: jsonSchemaOf(aggregationSchema),
};

/** The items of `filters`, `group_by` and `aggregation` of each resource. */
export function itemSchemas(resources: readonly Resource[]): Record<string, Schema> {
  const schemas = resources.flatMap((resource): [string, Schema][] => {
    const names = [...COUNTS[resource], ...NUMBERS[resource].flatMap((name) => [name, ...prefixed(name)])];
    return [
      [`${pascal(resource)}Filter`, named('Filter', attributeNames(resource, 'filtersOn'))],
      [`${pascal(resource)}Group`, named('Group', attributeNames(resource, 'groupsOn'))],
      [`${pascal(resource)}Metric`, named('Metric', names)],
    ];
  });
  return { ...SHAPES, ...Object.fromEntries(schemas) };
}

const prefixed = (name: string): string[] => OPERATIONS.map((operation) => `${operation}_${name}`);

/** Items with these names. The page says what each name means. */
const named = (shape: keyof typeof SHAPES, names: readonly string[]): Schema => ({
  description: `/docs#${shape === 'Metric' ? 'metrics' : 'attributes'} says what each name means.`,
  allOf: [
    ref(shape),
    { type: 'object', properties: { attribute: { enum: [...names] } }, required: ['attribute'] },
  ],
});

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
export function requestSchema({ request, resource }: Endpoint): Schema {
  const schema = jsonSchemaOf(request);
  const items: Readonly<Record<string, Schema>> = {
    filters: ref(`${pascal(resource)}Filter`),
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

const APP_ID = {
  name: 'appid',
  in: 'query',
  description: 'The app to query, unless the header `X-App-Id` names it.',
  required: false,
  schema: { type: 'string' },
  example: EXAMPLE_APP,
} as const;

/** JSON as OpenAPI describes it. */
interface JsonContent {
  readonly 'application/json': { schema: Schema; example?: unknown };
}

/** A query parameter: a text by its schema, a list as JSON. */
type Parameter = { name: string; in: 'query'; description: string; required: boolean } & (
  | { schema: Schema; example?: unknown }
  | { content: JsonContent }
);

/** The query parameters of a legacy endpoint, with lists as JSON. The API key is a security scheme instead. */
export function queryOf(endpoint: Endpoint): Parameter[] {
  const { properties = {} } = requestSchema(endpoint);
  const { request } = exampleOf(endpoint);
  const parameters = Object.entries(properties).map(([name, field]) => {
    const { description = '', ...schema }: Schema = typeof field === 'object' ? field : {};
    const content = { schema, ...(name in request && { example: request[name] }) };
    const value = schema.type === 'array' ? { content: { 'application/json': content } } : content;
    return { name, in: 'query' as const, description, required: false, ...value };
  });
  return [APP_ID, ...parameters];
}

/** The body of a JSON-body endpoint. */
export const bodyOf = (endpoint: Endpoint): JsonContent => ({
  'application/json': { schema: requestSchema(endpoint), example: exampleBody(exampleOf(endpoint)) },
});
