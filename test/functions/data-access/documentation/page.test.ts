import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { curlOf, docsPage } from '../../../../functions/data-access/documentation/page.ts';
import { ENDPOINTS } from '../../../../functions/data-access/endpoints/endpoints.ts';
import { type HttpServer, listen } from '../../../../local/http-server.ts';
import { COUNTS, NUMBERS } from '../../../../shared/contract/aggregations.ts';
import { ATTRIBUTES } from '../../../../shared/contract/attributes.ts';
import { OPERATORS } from '../../../../shared/contract/filters.ts';
import { ERROR_STATUSES } from '../../../../shared/contract/responses.ts';
import { freePort } from '../../../fixtures/deltawatch.ts';
import { KEY, type Sample, sample } from '../sample-app.ts';
import { operationAt } from './described.ts';
import { DOCUMENTED } from './documented-shop.ts';

let shop: Sample;
let server: HttpServer;
let page: string;
let headers: Headers;
beforeAll(async () => {
  shop = await sample(DOCUMENTED);
  server = await listen((request) => shop.app.fetch(request), { host: '127.0.0.1', port: await freePort() });
  const response = await shop.app.request('https://data.example.com/docs');
  [page, headers] = [await response.text(), response.headers];
});
afterAll(async () => {
  await server.close(0);
  await shop.close();
});

const all = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map(([, found = '']) => found);
const ids = () => all(/ id="([^"]+)"/g);

describe('the page', () => {
  test('loads nothing and runs no script', () => {
    const [style = ''] = all(/<style>([\s\S]*?)<\/style>/g);
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
    expect(headers.get('Content-Security-Policy')).toContain(
      `default-src 'none'; style-src 'sha256-${hash}'`,
    );
    expect(
      all(/ (?:src|href)="([^"]*)"/g).filter((to) => !/^(#|\/openapi\.json$|data:image)/.test(to)),
    ).toEqual([]);
    expect(page).not.toMatch(/<script| style=| on\w+=/);
  });

  test('has a section for each endpoint, and no dead link', () => {
    expect(new Set(ids()).size).toBe(ids().length);
    expect(ids()).toEqual(
      expect.arrayContaining(ENDPOINTS.map((endpoint) => operationAt(endpoint).operationId)),
    );
    expect(all(/href="#([^"]+)"/g).filter((id) => !ids().includes(id))).toEqual([]);
    expect(all(/aria-labelledby="([^"]+)"/g).filter((id) => !ids().includes(id))).toEqual([]);
  });

  test('names every attribute, operator, metric and error', () => {
    const named = new Set(all(/<code>([^<]*)<\/code>/g));
    const names = [
      ...Object.keys(ATTRIBUTES),
      ...Object.values(OPERATORS).flat(),
      ...[COUNTS, NUMBERS].flatMap((each) => Object.values(each).flat()),
      ...Object.keys(ERROR_STATUSES),
    ];
    expect(names.filter((name) => !named.has(name))).toEqual([]);
  });

  test('lists the fields of the records', () => {
    expect(page).toContain('<code>device.osVersion</code>');
    expect(page).toContain('<code>sessionProperty.durationSec</code>');
  });

  test('uses the address of the request in its commands', () => {
    const origins = all(/curl (?:-G )?&#39;(\w+:\/\/[^/]+)\//g);
    expect(new Set(origins)).toEqual(new Set(['https://data.example.com']));
  });

  test('escapes the address of the request', async () => {
    expect(String(await docsPage('https://<b>'))).not.toContain('<b>');
  });
});

describe('the commands', () => {
  test.concurrent.each(ENDPOINTS.map((endpoint) => ({ endpoint })))(
    'of $endpoint.path finds data',
    async ({ endpoint }) => {
      const env = { ...process.env, API_KEY: KEY };
      const command = `curl() { command curl --silent --fail-with-body "$@"; }; ${curlOf(server.url, endpoint)}`;
      const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
      expect(JSON.parse(stdout)).toMatchObject({ data: expect.arrayContaining([expect.anything()]) });
    },
  );

  test('are shown on the page', () => {
    const shown = all(/aria-label="Command"><code>([\s\S]*?)<\/code>/g).map(unescaped);
    expect(shown.toSorted()).toEqual(
      ENDPOINTS.map((endpoint) => curlOf('https://data.example.com', endpoint)).toSorted(),
    );
  });

  const unescaped = (markup: string) =>
    markup
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&');

  test('quote the address for the shell', () => {
    const [endpoint] = ENDPOINTS;
    if (!endpoint) throw new Error('no endpoint');
    const command = curlOf("https://a';id;'", endpoint);
    expect(command).toContain(`'https://a'\\'';id;'\\''/v2/event'`);
  });
});
