import { tmpdir } from 'node:os';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import type { Sample } from '../functions/data-access/sample-app.ts';
import type { Hostile } from './hostile-requests.ts';

/** The contract's error codes by status. 500 is missing, because it must not occur. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: [
    'INVALID_REQUEST',
    'INVALID_FILTER',
    'INVALID_OPERATOR',
    'INVALID_GROUP_BY',
    'INVALID_AGGREGATION',
    'INVALID_CURSOR',
  ],
  401: ['MISSING_CREDENTIALS', 'INVALID_CREDENTIALS'],
  403: ['FORBIDDEN'],
  404: ['NOT_FOUND'],
  405: ['METHOD_NOT_ALLOWED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  429: ['RATE_LIMITED'],
  503: ['UNAVAILABLE'],
};

/** Words of our SQL and of the engine's errors that no hostile request contains. */
const SQL =
  /\bselect "|\bfrom "|json_(text|extract|type|value)|list_has|epoch_ms|(Binder|Parser|Catalog|Conversion|Invalid Input|Out of Range) Error/i;
const STACK = /\bat \S+ \(|\.ts:\d+|node:internal|node_modules/;

function expectNoLeak(text: string, { directory }: Sample, secrets: readonly string[]): void {
  // A row repeats the property name of its request, which may be a secret.
  const ours = secrets.reduce((rest, secret) => rest.replaceAll(`_property_${secret}`, ''), text);
  const places = [directory, process.cwd(), tmpdir()];
  const leaks = [
    ...secrets.filter((secret) => ours.includes(secret)).map(() => 'a secret'),
    ...places.filter((place) => ours.includes(place)).map(() => 'a path of this machine'),
    ...(SQL.test(ours) ? ['a statement'] : []),
    ...(STACK.test(ours) ? ['a stack'] : []),
  ];
  expect(leaks, text.slice(0, 2000)).toEqual([]);
}

/** Sends a request and expects an answer of the contract. Neither the answer nor the log leaks anything. */
export async function expectContractAnswer(
  shop: Sample,
  { path, ...init }: Hostile,
  secrets: readonly string[],
): Promise<void> {
  const response = await shop.app.request(`http://localhost${path}`, init);
  const text = await response.text();
  const headers = inspect([...response.headers]);
  expectNoLeak(`${headers}\n${text}`, shop, secrets);
  expectNoLeak(shop.logged.splice(0).join('\n'), shop, secrets);
  expect(response.headers.get('X-Request-Id')).toMatch(/^[\w=-]{1,255}$/);
  if (response.status === 204) return expect(text).toBe('');
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json/);
  if (init.method === 'HEAD') return expect(text).toBe('');
  const body: unknown = JSON.parse(text);
  if (response.status === 200) {
    return expect(body).toEqual({ success: true, data: expect.any(Array), pagination: expect.any(Object) });
  }
  const details: unknown[] | undefined = Object(Object(body).error).details;
  expect(body, `status ${response.status}`).toEqual({
    success: false,
    data: [],
    error: {
      code: expect.stringMatching(new RegExp(`^(${CODES[response.status]?.join('|')})$`)),
      message: expect.stringMatching(/./),
      ...(details && {
        details: details.map(() => ({ path: expect.any(String), message: expect.any(String) })),
      }),
    },
  });
  // An error does not repeat the whole request.
  expect(text.length).toBeLessThan(100_000);
}
