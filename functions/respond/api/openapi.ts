import { jsonSchemaOf, ref, type Schema } from '../../../shared/contract/json-schema.ts';
import { lazy } from '../../../shared/units/lazy.ts';
import { API_PATH, type Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { PROBLEMS, type ProblemStatus } from './problem.ts';
import { problemSchema } from './schemas.ts';

/** The OpenAPI document, built once, from the schemas that parse requests and type answers. */
export const openApi = lazy((): object => ({
  openapi: '3.1.1',
  info: {
    title: 'Deltawatch alerts',
    version: '1',
    description: 'Alerts and rules, for programs. Times are ISO 8601 in UTC.',
  },
  servers: [{ url: API_PATH }],
  security: [{ token: [] }],
  paths: Object.fromEntries(
    [...Map.groupBy(ENDPOINTS, ({ path }) => path)].map(([path, same]) => [
      path,
      Object.fromEntries(same.map((endpoint) => [endpoint.method, operationOf(endpoint)])),
    ]),
  ),
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      ...Object.fromEntries(
        ENDPOINTS.map(({ answer: { name, schema } }) => [name, jsonSchemaOf(schema, 'output')]),
      ),
      Problem: jsonSchemaOf(problemSchema, 'output'),
    },
  },
}));

const ID: Schema = { type: 'string', pattern: '^[\\w-]+$' };
const OF_ALL: ProblemStatus[] = [400, 401, 429, 500, 503];

function operationOf({ method, path, name, summary, query, body, answer, problems = [] }: Endpoint) {
  const inPath = path.includes('{id}') ? [parameter('id', 'path', ID)] : [];
  const inQuery = Object.entries(query.shape).map(([field, schema]) => {
    const { description, ...rest } = jsonSchemaOf(schema as typeof query);
    return { ...parameter(field, 'query', rest), ...(description !== undefined && { description }) };
  });
  const isTagged = method === 'get' && { 304: { description: 'The answer is that of If-None-Match.' } };
  const content = { 'application/json': { schema: ref(answer.name) } };
  const ofChanges: ProblemStatus[] = [...(isTagged ? [] : [403 as const]), ...(body ? [413 as const] : [])];
  const failed = [...OF_ALL, ...ofChanges, ...problems].map((status) => [status, failure(status)]);
  return {
    ...{ operationId: name, summary, parameters: [...inPath, ...inQuery] },
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: jsonSchemaOf(body) } } },
    }),
    responses: { 200: { description: 'Done.', content }, ...isTagged, ...Object.fromEntries(failed) },
  };
}

const parameter = (name: string, place: 'path' | 'query', schema: Schema) => ({
  ...{ name, in: place, required: place === 'path', schema },
});

const failure = (status: ProblemStatus) => ({
  description: PROBLEMS[status],
  content: { 'application/problem+json': { schema: ref('Problem') } },
});
