import { COUNTS, metricOf, NUMBERS } from '../../../shared/contract/aggregations.ts';
import {
  ATTRIBUTES,
  type AttributeName,
  attributeNames,
  type Read,
  type Resource,
} from '../../../shared/contract/attributes.ts';
import {
  OPERATORS,
  type Operator,
  propertyNameSchema,
  sentFilterSchema,
  valueSchemaOf,
} from '../../../shared/contract/filters.ts';
import {
  type Aggregation,
  aggregationSchema,
  groupBySchema,
  OPERATIONS,
} from '../../../shared/contract/grouping.ts';
import { stepSchema } from '../../../shared/contract/journeys.ts';
import { jsonSchemaOf, pascal, ref, type Schema } from '../../../shared/contract/json-schema.ts';
import { MAX_FILTERS } from '../../../shared/contract/query-filters.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import { EXAMPLE_APP, exampleBody, exampleOf } from './example-requests.ts';

const PROPERTY_NAME = jsonSchemaOf(propertyNameSchema);

/** An object with only these fields; `attribute` is one of `names`. Those of custom properties need their name. */
const named = (
  names: readonly string[],
  fields: Record<string, Schema>,
  optional: readonly string[] = [],
) => {
  const own = names.every(isCustom) ? { property_name: PROPERTY_NAME } : {};
  return strict({ attribute: { enum: [...names] }, ...own, ...fields }, optional);
};
const strict = (properties: Record<string, Schema>, optional: readonly string[] = []): Schema => {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
};
const isCustom = (name: string): boolean => name.endsWith('custom_property');
const oneOf = (described: string, anyOf: Schema[]): Schema => {
  return { description: `/docs#${described} says what each means.`, anyOf };
};

/** The items of `filters`, `group_by` and `aggregation` of each resource, exactly as they are accepted. */
export function itemSchemas(resources: readonly Resource[]): Record<string, Schema> {
  const schemas = resources.flatMap((resource): [string, Schema][] => [
    ...filterSchemas(resource, 'list'),
    ...filterSchemas(resource, 'analytics'),
    [`${pascal(resource)}Group`, oneOf('attributes', groups(resource))],
    [`${pascal(resource)}Metric`, oneOf('metrics', metrics(resource))],
  ]);
  return { ...Object.fromEntries(schemas), NamedEvent: namedEvent(), Step: step() };
}

/** An event with filters of its own. The window is that of the whole request. */
function step(): Schema {
  const { properties, ...schema } = jsonSchemaOf(stepSchema);
  const window = { properties: { attribute: { const: 'date_range' } }, required: ['attribute'] };
  const items = { allOf: [ref(filterName('event', 'analytics')), { not: window }] };
  return { ...schema, properties: { ...properties, filters: { ...Object(properties?.filters), items } } };
}

/** Only users have attributes that no analytics endpoint accepts. */
const filterName = (resource: Resource, read: Endpoint['read'], kind = 'Filter'): string =>
  `${pascal(resource)}${resource === 'user' && read === 'list' ? 'List' : ''}${kind}`;

/** A filter, and one that may be within a group. */
function filterSchemas(resource: Resource, read: Read): [string, Schema][] {
  const names = attributeNames(resource, 'filtersOn').filter(
    (name) => name !== 'date_range' && (read === 'list' || !ATTRIBUTES[name].listOnly),
  );
  const condition = filterName(resource, read, 'Condition');
  const members = [
    ref(condition),
    ...['did', 'did_not'].map((key) => group(key, ref('EventCondition'))),
    ...(resource === 'event' ? [] : [ref('NamedEvent')]),
  ];
  const all = [...filters(['date_range']), ...members, group('any', { anyOf: members })];
  return [
    [condition, oneOf('attributes', filters(names))],
    [filterName(resource, read), oneOf('filters', all)],
  ];
}

const group = (key: string, items: Schema): Schema =>
  strict({ [key]: { type: 'array', items, minItems: 1, maxItems: MAX_FILTERS } });

/** An event by its name and one of its properties. */
function namedEvent(): Schema {
  const properties = shapesOf(['event_custom_property']).map(({ operators, value }) =>
    strict({ name: PROPERTY_NAME, operator: { enum: operators }, value }),
  );
  const names = shapesOf(['event_name']).map(({ operators, value }) => {
    const positive = operators.filter((name) => !name.startsWith('not_'));
    return named(['event_name'], { operator: { enum: positive }, value, property: { anyOf: properties } });
  });
  return oneOf('filters', names);
}

const filters = (names: readonly AttributeName[]): Schema[] =>
  shapesOf(names).map(({ alike, operators, value }) =>
    named(alike, { operator: { enum: operators }, value }),
  );

/** By the type of the attributes and the shape of the value. */
function shapesOf(names: readonly AttributeName[]) {
  const alike = Map.groupBy(names, (name) => ATTRIBUTES[name].type + (ATTRIBUTES[name].unit === 'month'));
  return [...alike.values()].flatMap(([first, ...others]) =>
    sentFilterSchema.unwrap().options.flatMap(({ shape }) => {
      if (first === undefined) return [];
      const attribute = ATTRIBUTES[first];
      const operators: Operator[] = shape.operator.options.filter((name) =>
        OPERATORS[attribute.type].includes(name),
      );
      if (operators.length === 0) return [];
      const one = jsonSchemaOf(valueSchemaOf(attribute));
      const own = jsonSchemaOf(shape.value);
      const value = operators.includes('equal') ? one : own.type === 'array' ? { ...own, items: one } : own;
      return [{ alike: [first, ...others], operators, value }];
    }),
  );
}

function groups(resource: Resource): Schema[] {
  const max_group_number = jsonSchemaOf(groupBySchema.shape.max_group_number);
  const kinds = Map.groupBy(attributeNames(resource, 'groupsOn'), isCustom);
  return [...kinds.values()].map((names) => named(names, { max_group_number }, ['max_group_number']));
}

function metrics(resource: Resource): Schema[] {
  const names = [...COUNTS[resource], ...NUMBERS[resource].flatMap((name) => [name, ...prefixed(name)])];
  const accepts = (attribute: string, operator?: Aggregation['operator']) =>
    'kind' in metricOf(resource, { attribute, operator, ...(isCustom(attribute) && { property_name: 'x' }) });
  const operatorsOf = (name: string) => OPERATORS_OF_METRICS.filter((operator) => accepts(name, operator));
  const accepted = names.filter((name) => accepts(name) || operatorsOf(name).length > 0);
  const alike = Map.groupBy(accepted, (name) => JSON.stringify([operatorsOf(name), accepts(name)]));
  return [...alike.values()].map((same) => {
    const [first = ''] = same;
    return named(same, { operator: { enum: operatorsOf(first) } }, accepts(first) ? ['operator'] : []);
  });
}

const OPERATORS_OF_METRICS = aggregationSchema.shape.operator.unwrap().options;
const prefixed = (name: string): string[] => OPERATIONS.map((operation) => `${operation}_${name}`);

const FIELDS: Readonly<Record<string, string>> = {
  app_id: 'The app to query.',
  filters: 'Conditions that must all match. Without a `date_range`, the window is the last 30 days.',
  group_by: 'Up to 4 attributes. Returns one row for each combination of their values.',
  aggregation: 'Up to 20 metrics for each row.',
  comparison: '`1` adds the previous period to each metric.',
  time_zone: 'IANA name of the zone of windows and buckets, instead of the zone of the app.',
  sort: 'Fields of the rows: `attribute` for the key of a group, `metric` for a metric, with `direction`.',
  having: 'Conditions on metrics that a row must all meet.',
  limit: 'The most rows to return, of all pages together.',
  page: 'Page number, starting at 1.',
  page_size: 'Records or rows per page.',
  cursor: '`next_cursor` of the previous page, sent with the same body. Omit it for the first page.',
  steps: 'From 2 to 10 events in order, each with filters of its own.',
  within_minutes: 'How long after the first step the last may be, up to 43,200 (30 days).',
  start: 'The event with which users enter, and filters on it. By default any event.',
  return: 'The event with which users are back, and filters on it. By default any event.',
  days: 'Up to 30 days after the first, from 1 to 365.',
  show_only: 'Sections of the record to return. `device` means `deviceBasics` and `deviceHardware`.',
};

/** What an endpoint accepts besides credentials: an object with a description and the possible names of each field. */
export function requestSchema({ request, resource, read }: Endpoint): Schema {
  const schema = jsonSchemaOf(request);
  const items: Readonly<Record<string, Schema>> = {
    filters: ref(filterName(resource, read)),
    group_by: ref(`${pascal(resource)}Group`),
    aggregation: ref(`${pascal(resource)}Metric`),
    steps: { allOf: [ref('Step'), { required: ['event_name'] }] },
  };
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    {
      description: FIELDS[name],
      ...(name === 'start' || name === 'return' ? ref('Step') : typeof field === 'object' && field),
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

export const bodyOf = (endpoint: Endpoint): JsonContent => ({
  'application/json': { schema: requestSchema(endpoint), example: exampleBody(exampleOf(endpoint)) },
});
