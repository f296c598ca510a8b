import { describe, expect, test } from 'vitest';
import { createSlackChannel } from '../../../../shared/channels/slack/channel.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const SECRET = 'T0/B0/xoxkey';
const clock = new ManualClock(Date.parse('2026-03-02T07:00:00Z'));

interface Reply {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

async function sendTo(reply: Reply) {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  const webhookUrl = `${server.url}/services/${SECRET}`;
  return await createSlackChannel({ webhookUrl, clock }).send(aMessage());
}

describe('the reply of Slack', () => {
  test.each<{ name: string; reply: Reply; result: object }>([
    { name: 'ok', reply: { status: 200, body: 'ok' }, result: { kind: 'sent' } },
    ...[
      { status: 400, word: 'invalid_payload', says: 'bug in Deltawatch' },
      { status: 403, word: 'action_prohibited', says: 'administrator' },
      { status: 403, word: 'invalid_token', says: 'create a new one' },
      { status: 404, word: 'no_service', says: 'create a new one' },
      { status: 404, word: 'channel_not_found', says: 'webhook for another' },
      { status: 410, word: 'channel_is_archived', says: 'unarchive' },
      { status: 400, word: 'some_new_word', says: '' },
    ].map(({ status, word, says }) => ({
      name: word,
      reply: { status, body: word },
      result: {
        kind: 'refused',
        permanent: true,
        reason: expect.stringMatching(new RegExp(`\\(${status}, ${word}\\).*${says}`)),
      },
    })),
    {
      name: 'rate limit with seconds',
      reply: { status: 429, body: 'rate_limited', headers: { 'Retry-After': '7' } },
      result: { kind: 'refused', permanent: false, retryAfterMs: 7000 },
    },
    {
      name: 'rate limit with a date',
      reply: { status: 429, body: '', headers: { 'Retry-After': 'Mon, 02 Mar 2026 07:01:00 GMT' } },
      result: { kind: 'refused', permanent: false, retryAfterMs: 60_000 },
    },
    {
      name: 'a login page that looks like success',
      reply: { status: 200, body: '<html>Sign in</html>' },
      result: { kind: 'refused', permanent: false, reason: 'something other than Slack answered' },
    },
    {
      name: 'a redirect',
      reply: { status: 302, body: '', headers: { Location: 'https://elsewhere.example.com' } },
      result: { kind: 'refused', permanent: false, reason: 'something other than Slack answered' },
    },
  ])('$name', async ({ reply, result }) => {
    const answered = await sendTo(reply);
    expect(answered).toMatchObject(result);
    expect(JSON.stringify(answered)).not.toContain('xoxkey');
  });
});

describe('a message with a picture', () => {
  const picture = { url: 'https://deltawatch.example/a.png', alt: 'a fall' };
  const pictured = aMessage({
    items: [anItem({ links: { open: 'https://deltawatch.example/a', picture, answers: [] } })],
  });

  /** Sends it to a Slack with these replies in turn. Records which attempts had the picture. */
  async function sendPictured(...replies: Reply[]) {
    const attempts: boolean[] = [];
    const warnings: unknown[] = [];
    await using server = await listen((_request, body, response) => {
      attempts.push(body.includes(picture.url));
      const { status, body: text, headers } = replies.shift() ?? { status: 200, body: 'ok' };
      response.writeHead(status, headers).end(text);
    });
    const result = await createSlackChannel({
      webhookUrl: `${server.url}/services/${SECRET}`,
      clock,
      logger: { warn: (...warning) => void warnings.push(warning) },
    }).send(pictured);
    return { result, attempts, warnings };
  }

  test.each([
    { status: 400, body: 'invalid_blocks' },
    { status: 400, body: '' },
  ])('is sent again without it if Slack replies $status $body', async (reply) => {
    const { result, attempts, warnings } = await sendPictured(reply);
    expect(result).toEqual({ kind: 'sent' });
    expect(attempts).toEqual([true, false]);
    expect(warnings).toEqual([
      ['a message is sent without its pictures', { reason: expect.stringContaining('(400') }],
    ]);
    expect(JSON.stringify(warnings)).not.toMatch(/https?:/);
  });

  test.each([
    { status: 403, body: 'invalid_token' },
    { status: 404, body: 'no_service' },
    { status: 429, body: 'rate_limited' },
    { status: 500, body: '' },
    { status: 200, body: 'ok' },
  ])('is not sent again if Slack replies $status $body', async (reply) => {
    expect((await sendPictured(reply)).attempts).toEqual([true]);
  });

  test('is refused if Slack refuses it without the picture too', async () => {
    const { result, attempts } = await sendPictured(
      { status: 400, body: 'invalid_blocks' },
      { status: 404, body: 'no_service' },
    );
    expect(attempts).toEqual([true, false]);
    expect(result).toMatchObject({ permanent: true, reason: expect.stringContaining('no_service') });
  });
});
