import { expect, test } from 'vitest';
import { createDiscordChannel, discordMessage } from '../../../../shared/channels/discord/channel.ts';
import type { ItemLinks } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem, LINKS } from '../../../fixtures/messages.ts';

test('names are shown as they are: no Markdown, no mention and no link', () => {
  const title = '@everyone <@1> [Click](https://evil.example) **now** # ||x||';
  expect(discordMessage(aMessage({ title })).content).toBe(
    '**🔴 @everyone \\<@1\\> \\[Click\\](https\\://evil.example) \\*\\*now\\*\\* \\# \\|\\|x\\|\\|**',
  );
});

/** The result, the sent bodies and the warnings, if Discord answers this way. */
async function sendTo(answers: { status: number; body: string }[], links: ItemLinks | null = LINKS) {
  const bodies: string[] = [];
  const warnings: unknown[] = [];
  await using server = await listen((_request, body, response) => {
    bodies.push(body);
    const { status, body: answer } = answers[bodies.length - 1] ?? { status: 200, body: '{}' };
    response.writeHead(status).end(answer);
  });
  const channel = createDiscordChannel({
    webhookUrl: `${server.url}/?thread_id=7`,
    clock: new ManualClock(NOW),
    logger: { warn: (_: string, about?: object) => void warnings.push(about) },
  });
  const result = await channel.send(aMessage({ items: [anItem({ links })] }));
  return { result, bodies, warnings };
}

const INVALID = { status: 400, body: '{"message":"Invalid Form Body","code":50035}' };
const REASON =
  'Discord refused the message (400, code 50035): the message is invalid, which is a bug in Deltawatch';

test('an invalid message is a bug, and is sent once more only without its pictures', async () => {
  const { result, bodies, warnings } = await sendTo([INVALID]);
  expect(result).toEqual({ kind: 'sent' });
  expect(bodies.map((body) => body.includes('/p/abc'))).toEqual([true, false]);
  expect(warnings).toEqual([{ reason: REASON }]);
  const again = await sendTo([INVALID], null);
  expect(again.result).toEqual({ kind: 'refused', permanent: true, reason: REASON });
  expect(again.bodies).toHaveLength(1);
});

test.each<[number, string, object]>([
  [204, '', { kind: 'sent' }],
  [302, '', { permanent: false, reason: 'something other than Discord answered' }],
  [429, '{"retry_after":0.25,"global":true}', { permanent: false, retryAfterMs: 250 }],
  [429, '<html>Cloudflare', { permanent: false, reason: 'Discord is rate limiting (429)' }],
  [
    404,
    '{"message":"Unknown Webhook","code":10015}',
    {
      permanent: true,
      reason:
        'Discord refused the message (404, code 10015): the webhook was deleted; create a new one and store its URL in the secret',
    },
  ],
])('the answer %d %s', async (status, body, result) => {
  expect((await sendTo([{ status, body }])).result).toMatchObject(result);
});
