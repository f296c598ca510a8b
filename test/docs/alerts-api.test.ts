import { expect, test } from 'vitest';
import { TOKEN_LIMIT } from '../../functions/respond/api/api.ts';
import { ENDPOINTS } from '../../functions/respond/api/endpoints.ts';
import { codeIn, documentAt, tableIn } from './documents.ts';

const page = documentAt('docs/reference/alerts-api.md');

test('alerts-api.md has a row for every endpoint with its scope', () => {
  const rows = tableIn(page, 'endpoint').map(([endpoint = '', scope = '']) => [
    ...codeIn(endpoint),
    ...codeIn(scope),
  ]);
  expect(rows).toEqual(
    ENDPOINTS.map(({ method, path }) => [
      `${method.toUpperCase()} ${path}`,
      method === 'get' ? 'read' : 'answer',
    ]),
  );
});

test('alerts-api.md states the limit of a token', () => {
  const { perSecond, perHour } = TOKEN_LIMIT;
  expect(page.text.replaceAll('\n', ' ')).toContain(
    `${perSecond} requests a second and ${perHour.toLocaleString('en-US')} an hour`,
  );
});
