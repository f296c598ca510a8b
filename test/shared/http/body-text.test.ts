import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { postTo } from '../../../shared/channels/http-post.ts';
import { bodyText } from '../../../shared/http/body-text.ts';
import { systemClock as clock } from '../../../shared/runtime/clock.ts';
import { createDataAccessHttp } from '../../../shared/source/http-calls.ts';
import { listen } from '../../fixtures/loopback-server.ts';

const blanks = (megabytes: number) => gzipSync(Buffer.alloc(megabytes * 1024 ** 2, ' '));
const answering = (body: Buffer) =>
  listen((_, __, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' });
    response.end(body);
  });

test.each([
  { mostBytes: 3, text: 'äb', isCut: false },
  { mostBytes: 2, text: 'ä', isCut: true },
])('reads $mostBytes bytes at most', async ({ mostBytes, text, isCut }) => {
  expect(await bodyText(new Response('äb'), mostBytes)).toEqual({ text, isCut });
});

test('a data access service that answers with 40 MB is refused with a sentence', async () => {
  await using server = await answering(blanks(40));
  const budget = { takeCalls: () => true };
  const send = createDataAccessHttp({ baseUrl: server.url, apiKey: 'key', clock, budget });
  await expect(send({ style: 'json', app: 'demo', path: '/analytics', body: {} }, 'whole')).rejects.toThrow(
    'the response is longer than 32 MB; ask for fewer segments or events',
  );
});

test('a channel takes a long answer by its status and keeps its beginning', async () => {
  await using server = await answering(blanks(1));
  const answer = await postTo('the chat', server.url, { body: '{}', headers: {} }, { clock });
  expect(answer).toMatchObject({ status: 200, body: ' '.repeat(500_000) });
});
