import fc from 'fast-check';
import { requestsAbout } from '../oracle/random-requests.ts';
import type { Resource } from '../oracle/requests.ts';
import type { World } from '../oracle/rows.ts';
import { HOSTILE_TEXTS, overflowing } from './hostile-values.ts';
import { mutated, mutation, poisoned } from './tampering.ts';

/** A request as it is sent. */
export interface Hostile {
  /** With the query. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface Attack {
  readonly world: World;
  /** A valid key. */
  readonly key: string;
  /** Cursors that the service returned. */
  readonly cursors: readonly string[];
}

const anyOf = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
/** Mostly valid, so that requests with other errors get past this value. */
const mostly = <T>(right: T, wrong: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: anyOf(wrong) });

export function hostileRequests(attack: Attack): fc.Arbitrary<Hostile> {
  return fc.oneof(
    { weight: 8, arbitrary: bodyRequest(attack) },
    { weight: 8, arbitrary: legacyRequest(attack) },
    { weight: 1, arbitrary: strayRequest(attack) },
  );
}

interface Tampered {
  /** Below the root of its style. */
  readonly path: string;
  readonly request: unknown;
}

/** A valid request with some places changed, or with all its texts replaced by a hostile one. */
function tamperedRequest(
  { world, key, cursors }: Attack,
  resources: readonly Resource[],
): fc.Arbitrary<Tampered> {
  const { analytics, list } = requestsAbout(world);
  const mutations = fc.array(mutation([key, ...cursors]), { minLength: 1, maxLength: 3 });
  const tampering = fc.oneof(
    mutations.map((changes) => (request: unknown) => changes.reduce<unknown>(mutated, request)),
    anyOf(HOSTILE_TEXTS).map((text) => (request: unknown) => poisoned(request, text)),
  );
  return anyOf(resources).chain((resource) => {
    const analyses = analytics(resource).map((request) => ({ path: `${resource}/analytics`, request }));
    const reads =
      resource === 'screen'
        ? analyses
        : fc.oneof(
            analyses,
            list(resource).map((request) => ({ path: resource, request })),
          );
    return fc
      .tuple(reads, tampering)
      .map(([{ path, request }, tamper]) => ({ path, request: tamper(request) }));
  });
}

const RESOURCES = ['event', 'session', 'user'] as const;

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY'];

function headersWith(key: string): fc.Arbitrary<Record<string, string>> {
  const wrong = ['', 'wrong', ` ${key}x`, `${key},${key}`, key.toUpperCase(), 'a'.repeat(10_000)];
  const ids = ["'; --", 'x'.repeat(300), '../../etc', '%0d%0a', 'a=b', key];
  const more: fc.Arbitrary<Record<string, string>> = anyOf([
    {},
    {},
    {},
    { Authorization: `Bearer ${key}` },
    { 'X-Forwarded-For': '127.0.0.1', 'X-HTTP-Method-Override': 'DELETE' },
    { Origin: 'https://evil.example', 'Access-Control-Request-Headers': key },
    { 'Content-Encoding': 'gzip' },
    { 'Content-Length': '3' },
    { 'Transfer-Encoding': 'chunked' },
    { Accept: 'text/html', 'Accept-Language': '*' },
    ...ids.map((id) => ({ 'X-Request-Id': id })),
  ]);
  return fc.tuple(mostly(key, wrong), more).map(([apiKey, others]) => ({ 'X-Api-Key': apiKey, ...others }));
}

const MEDIA_TYPES = [
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json;charset=utf-16',
  'a/b/c',
];

function bodyRequest(attack: Attack): fc.Arbitrary<Hostile> {
  const { key, cursors } = attack;
  return fc
    .record({
      tampered: tamperedRequest(attack, [...RESOURCES, 'screen']),
      appId: mostly<unknown>('shop', [...HOSTILE_TEXTS, 'other', 'empty', key, null, 7, ['shop'], undefined]),
      cursor: mostly<unknown>(undefined, [
        ...HOSTILE_TEXTS,
        ...cursors,
        ...cursors.map(forged),
        key,
        null,
        {},
      ]),
      damage: mostly<Damage>((text) => text, DAMAGES),
      method: mostly('POST', METHODS),
      type: mostly('application/json', MEDIA_TYPES),
      headers: headersWith(key),
    })
    .map(({ tampered: { path, request }, appId, cursor, damage, method, type, headers }) => {
      const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
      const body = isObject ? { app_id: appId, ...request, cursor } : request;
      return {
        path: `/api/data-access/v1/${path}`,
        method,
        headers: { ...headers, 'Content-Type': type },
        ...(!['GET', 'HEAD'].includes(method) && { body: damage(overflowing(body)) }),
      };
    });
}

const forged = (cursor: string): string => `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;

type Damage = (text: string) => string | Uint8Array<ArrayBuffer>;
const DAMAGES: readonly Damage[] = [
  () => '',
  (text) => text.slice(0, text.length / 2),
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => `${'['.repeat(100_000)}${text}`,
  (text) => text.padEnd(300_000),
  (text) => text.replace('{', '{"app_id":"other",'),
  (text) => text.replace('{', '{"__proto__":{"success":true},'),
  (text) => Uint8Array.from(Buffer.from(text, 'utf16le')),
  (text) => Uint8Array.from([0xff, 0xfe, 0x00, ...Buffer.from(text).subarray(0, 50)]),
];

function legacyRequest(attack: Attack): fc.Arbitrary<Hostile> {
  const { key, cursors } = attack;
  const raws = [...RAW_QUERIES, `&x=${key}`, `&${key}=1`, `&cursor=${cursors[0] ?? ''}`];
  return fc
    .record({
      tampered: tamperedRequest(attack, RESOURCES),
      appId: mostly('shop', [...HOSTILE_TEXTS, 'other', 'empty', key]),
      apiKey: mostly(key, ['', 'wrong', 'shop', ` ${key}x`, ...HOSTILE_TEXTS]),
      raw: mostly('', raws),
      method: mostly('GET', ['POST', ...METHODS]),
      headers: headersWith(key),
    })
    .map(({ tampered: { path, request }, appId, apiKey, raw, method, headers }) => {
      const query = new URLSearchParams({ appid: appId, apikey: apiKey });
      for (const [name, value] of Object.entries(Object(request))) {
        query.append(name, typeof value === 'object' ? overflowing(value) : String(value));
      }
      // The key is in the query, so not in a header.
      const { 'X-Api-Key': _, ...others } = headers;
      return { path: `/v2/${path}?${query}${raw}`, method, headers: others };
    });
}

const RAW_QUERIES = [
  '&filters=[',
  '&filters=%5B%7B%22attribute%22%3A1e999%7D%5D',
  '&filters=%ff%fe',
  '&group_by=%00',
  '&%=%',
  '&__proto__=1',
  '&appid=other',
  '&apikey=wrong',
  '&page=1&page=2',
  '&page=-1',
  '&page_size=999999999999999999999',
  '&page_size=%D9%A1',
  '&comparison=true',
  '#fragment',
  `&filters=${'%5B'.repeat(3000)}`,
  `&x=${'y'.repeat(40_000)}`,
];

const PLACES = [
  '/',
  '/v2/',
  '/v2//event',
  '/V2/EVENT',
  '/v2/event/analytics/..',
  '/v2/event%2fanalytics',
  '/v2/event%00',
  '/v2/%2e%2e/keys.json',
  '/v2/screen',
  '/api/data-access/v1/screen',
  '/keys.json',
  '/__proto__',
  '/%ff',
];

/** Requests to unknown paths. */
function strayRequest({ key }: Attack): fc.Arbitrary<Hostile> {
  const place = fc.oneof(
    anyOf([...PLACES, `/v2/event&apikey=${key}`, `/${key}`]),
    anyOf(HOSTILE_TEXTS).map((text) => `/${encodeURIComponent(text.toWellFormed())}`),
  );
  return fc
    .record({ place, method: anyOf(['GET', 'POST', ...METHODS]), headers: headersWith(key) })
    .map(({ place, method, headers }) => ({ path: `${place}?appid=shop&apikey=${key}`, method, headers }));
}
