import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ENDPOINTS, type Endpoint } from '../../../../functions/data-access/endpoints/endpoints.ts';
import type { Schema } from '../../../../shared/contract/json-schema.ts';
import { ERROR_STATUSES } from '../../../../shared/contract/responses.ts';
import { range, type Sample, sample } from '../sample-app.ts';
import { checkerOf, contentOf, document, operationAt, requestSchemaOf, requiredBy } from './described.ts';
import { DOCUMENTED } from './documented-shop.ts';

const { components } = document;

let shop: Sample;
beforeAll(async () => {
  shop = await sample(DOCUMENTED);
});
afterAll(() => shop.close());

/** The example request of an endpoint, collected from the document, without credentials. */
function exampleRequest(endpoint: Endpoint): Record<string, unknown> {
  const { requestBody, parameters = [] } = operationAt(endpoint);
  if (requestBody) return z.looseObject({}).parse(requestBody.content['application/json'].example);
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const { example } = 'content' in parameter ? parameter.content['application/json'] : parameter;
      return example === undefined || parameter.name === 'appid' ? [] : [[parameter.name, example]];
    }),
  );
}

const ask = ({ style, path }: Endpoint, request: Readonly<Record<string, unknown>>) =>
  style === 'legacy' ? shop.get(path, request) : shop.post(path, request);

test.each(ENDPOINTS.map((endpoint) => ({ endpoint })))(
  'the example of $endpoint.path is accepted, and finds data',
  async ({ endpoint }) => {
    const request = exampleRequest(endpoint);
    if (endpoint.read !== 'catalogue') expect(request.filters).toBeDefined();
    expect(checkerOf(requestSchemaOf(endpoint))(request)).toEqual([]);
    const { status, body } = await ask(endpoint, request);
    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(0);
    expect(checkerOf(contentOf(operationAt(endpoint)).schema)(body)).toEqual([]);
  },
);

describe('responses match their schemas:', () => {
  const rows = ENDPOINTS.flatMap((endpoint) =>
    requestsOf(endpoint).map((request) => ({ endpoint, request })),
  );
  test.each(rows)('$endpoint.path $request', async ({ endpoint, request }) => {
    const { status, body } = await ask(endpoint, request);
    expect(status).toBe(200);
    expect(body.data.length).toBeGreaterThan(0);
    expect(checkerOf(contentOf(operationAt(endpoint)).schema)(body)).toEqual([]);
  });

  /** Requests whose responses contain all fields. */
  function requestsOf(endpoint: Endpoint): Record<string, unknown>[] {
    const { resource, read } = endpoint;
    const march = { filters: [range('2026-03-01', '2026-03-31')] };
    if (read === 'catalogue') return [{}];
    if (read === 'list') {
      const all = ['property', 'usage', 'location', 'device'];
      return [
        { ...march, page_size: 1 },
        { ...march, ...(resource === 'user' && { show_only: all }) },
      ];
    }
    const group_by = [{ attribute: 'app_version' }];
    if (read !== 'analytics') return [{ ...march, group_by, ...requiredBy(endpoint) }];
    return [{ ...march, comparison: 1, group_by }];
  }
});

test('each error is documented by at least one endpoint', () => {
  const documented = ENDPOINTS.flatMap((endpoint) =>
    Object.entries(operationAt(endpoint).responses).flatMap(([status, { description }]) =>
      [...description.matchAll(/`([A-Z_]+)`:/g)].map(([, code]) => `${status} ${code}`),
    ),
  );
  const codes = Object.entries(ERROR_STATUSES).map(([code, status]) => `${status} ${code}`);
  expect([...new Set(documented), '404 NOT_FOUND', '405 METHOD_NOT_ALLOWED'].sort()).toEqual(codes.sort());
});

describe('the document', () => {
  test('has a path for each endpoint, and unique operation ids', () => {
    expect(Object.keys(document.paths)).toEqual(ENDPOINTS.map(({ path }) => path));
    const ids = ENDPOINTS.map((endpoint) => operationAt(endpoint).operationId);
    expect(new Set(ids).size).toBe(ENDPOINTS.length);
  });

  test('has only valid schemas of JSON Schema 2020-12', () => {
    for (const schema of Object.values(components.schemas)) checkerOf(schema);
    for (const endpoint of ENDPOINTS) {
      checkerOf(requestSchemaOf(endpoint));
      checkerOf(contentOf(operationAt(endpoint)).schema);
    }
  });

  test('has no dangling references and no unused components', () => {
    const referred = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)];
    const names = referred.map(([, kind, name]) => `${kind} ${name}`);
    const held = (['headers', 'schemas'] as const).flatMap((kind) =>
      Object.keys(components[kind]).map((name) => `${kind} ${name}`),
    );
    expect([...new Set(names)].sort()).toEqual(held.sort());
  });

  test('describes each field', () => {
    const places = Object.entries(components.schemas).filter(([name]) => name.endsWith('Record'));
    expect(places.flatMap(([name, schema]) => undescribedIn(schema, name))).toEqual([]);
    const requests = ENDPOINTS.map((endpoint) => undescribedIn(requestSchemaOf(endpoint), endpoint.path));
    const parameters = ENDPOINTS.flatMap((endpoint) => operationAt(endpoint).parameters ?? []);
    expect(parameters.filter(({ description }) => description === '')).toEqual([]);
    expect(requests.filter((_, at) => ENDPOINTS[at]?.style === 'body').flat()).toEqual([]);
  });

  function undescribedIn(schema: Schema, place: string): string[] {
    return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
      if (typeof each === 'boolean') return [];
      const inner = undescribedIn(each, `${place}.${name}`);
      return each.description === undefined && each.properties === undefined
        ? [`${place}.${name}`, ...inner]
        : inner;
    });
  }

  test('is served without a key', async () => {
    const response = await shop.app.request('/openapi.json');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });
});
