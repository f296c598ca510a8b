import { expect, test } from 'vitest';
import { discordMessage } from '../../../shared/channels/discord/channel.ts';
import { googleChatMessage } from '../../../shared/channels/googlechat/channel.ts';
import { mattermostPost } from '../../../shared/channels/mattermost/channel.ts';
import { teamsMessage } from '../../../shared/channels/teams/channel.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { NOW } from '../../contracts/samples.ts';
import { channelTo } from '../../fixtures/channel-to.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { aMessage, anItem, LINKS } from '../../fixtures/messages.ts';

const WEBHOOK = { webhook_secret: 'url' };
const CHATS = {
  Teams: { teams: WEBHOOK },
  Discord: { discord: WEBHOOK },
  Mattermost: { mattermost: WEBHOOK },
  'Google Chat': { googlechat: WEBHOOK },
};
type Chat = keyof typeof CHATS;

test('names are shown as they are: no markup, no mention and no link', () => {
  const title =
    '@channel <at>x</at> [Click](https://evil.example) **now** <https://evil.example|here> # `x` ~~y~~';
  const message = aMessage({ title });
  expect({
    teams: teamsMessage(message).attachments[0]?.content.body[0],
    discord: discordMessage(message).content,
    mattermost: mattermostPost(message).text.replaceAll('\u200B', '^'),
    googlechat: googleChatMessage(message).cardsV2[0]?.card.sections[0]?.widgets[0],
  }).toMatchInlineSnapshot(`
    {
      "discord": "**🔴 @channel \\<at\\>x\\</at\\> \\[Click\\](https\\://evil.example) \\*\\*now\\*\\* \\<https\\://evil.example\\|here\\> \\# \\\`x\\\` \\~\\~y\\~\\~**",
      "googlechat": {
        "textParagraph": {
          "text": "<b>🔴 @channel &lt;at&gt;x&lt;/at&gt; [Click](https://evil.example) **now** &lt;https://evil.example|here&gt; # \`x\` ~~y~~</b>",
        },
      },
      "mattermost": "**🔴 @^channel &lt;at\\>x&lt;/at\\> \\[Click\\](https:^//evil.example) \\*\\*now\\*\\* &lt;https:^//evil.example\\|here\\> \\# \\\`x\\\` \\~\\~y\\~\\~**",
      "teams": {
        "size": "Large",
        "text": "🔴 @channel \\<at\\>x\\</at\\> \\[Click\\](https://evil.example) \\*\\*now\\*\\* \\<https://evil.example\\|here\\> \\# \\\`x\\\` \\~\\~y\\~\\~",
        "type": "TextBlock",
        "weight": "Bolder",
        "wrap": true,
      },
    }
  `);
});

test.each([
  ['Teams', teamsMessage],
  ['Google Chat', googleChatMessage],
])('a picture of this machine is left out: %s loads images over https', (_, layout) => {
  const links = { ...LINKS, picture: { url: 'http://127.0.0.1:4100/p/abc', alt: 'Purchases' } };
  expect(JSON.stringify(layout(aMessage({ items: [anItem({ links })] })))).not.toContain('127.0.0.1');
});

/** The result, the sent bodies and the warnings, if the chat first answers this way. */
async function sendTo(chat: Chat, first: { status: number; body: string }, items = [anItem()]) {
  const bodies: string[] = [];
  const warnings: unknown[] = [];
  await using server = await listen((_request, body, response) => {
    bodies.push(body);
    const { status, body: answer } = bodies.length === 1 ? first : { status: 200, body: '{}' };
    response.writeHead(status).end(answer);
  });
  const channel = channelTo(CHATS[chat], {
    ...{ secret: 'https://chat.example/?thread_id=7', to: server, clock: new ManualClock(NOW) },
    logger: { warn: (_: string, about?: object) => void warnings.push(about) },
  });
  return { result: await channel.send(aMessage({ items })), bodies, warnings };
}

test('an invalid message is a bug, and is sent once more only without its pictures', async () => {
  const invalid = { status: 400, body: '{"message":"Invalid Form Body","code":50035}' };
  const reason =
    'Discord refused the message (400, code 50035): the message is invalid, which is a bug in Deltawatch';
  const { result, bodies, warnings } = await sendTo('Discord', invalid, [anItem({ links: LINKS })]);
  expect(result).toEqual({ kind: 'sent' });
  expect(bodies.map((body) => body.includes('/p/abc'))).toEqual([true, false]);
  expect(warnings).toEqual([{ reason }]);
  const again = await sendTo('Discord', invalid);
  expect(again.result).toEqual({ kind: 'refused', permanent: true, reason });
  expect(again.bodies).toHaveLength(1);
});

const SENT = { kind: 'sent' };
const later = (reason: string) => ({ permanent: false, reason });
const never = (reason: string) => ({ permanent: true, reason: expect.stringContaining(reason) });
const mattermost = (id: string) => `{"id":"web.incoming_webhook.${id}.app_error","message":"about xoxkey"}`;
const google = (status: string) => JSON.stringify({ error: { message: 'about xoxkey', status } });

test.each<[Chat, number, string, object]>([
  // A workflow that ends with a response of its own.
  ['Teams', 200, '{"posted":true}', SENT],
  ['Teams', 200, ' <html>', later('something other than Teams answered')],
  ['Teams', 302, '', later('something other than Teams answered')],
  [
    'Teams',
    400,
    '{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"xoxkey"}}',
    never('(400, WorkflowTriggerIsNotEnabled): turn the workflow on'),
  ],
  ['Teams', 401, '<html>xoxkey', never('(401): the workflow was removed, or its address changed')],
  ['Discord', 204, '', SENT],
  ['Discord', 302, '', later('something other than Discord answered')],
  ['Discord', 429, '{"retry_after":0.25,"global":true}', { permanent: false, retryAfterMs: 250 }],
  ['Discord', 429, '<html>Cloudflare', later('Discord is rate limiting (429)')],
  ['Discord', 404, '{"code":10015}', never('(404, code 10015): the webhook was deleted')],
  ['Mattermost', 200, '<html>', later('something other than Mattermost answered')],
  ['Mattermost', 302, '', later('something other than Mattermost answered')],
  ['Mattermost', 400, mattermost('invalid'), never('app_error): the webhook was deleted')],
  ['Mattermost', 404, mattermost('channel'), never('create a webhook for another channel')],
  ['Mattermost', 403, mattermost('permissions'), never('create one as somebody who may')],
  ['Mattermost', 400, '{"id":"<b>xoxkey"}', never('(400): the message')],
  [
    'Mattermost',
    501,
    mattermost('disabled'),
    later('Mattermost failed (501, web.incoming_webhook.disabled.app_error)'),
  ],
  ['Google Chat', 200, '{}', later('something other than Google Chat answered')],
  ['Google Chat', 302, '', later('something other than Google Chat answered')],
  ['Google Chat', 429, google('RESOURCE_EXHAUSTED'), later('Google Chat is rate limiting (429)')],
  ['Google Chat', 404, google('NOT_FOUND'), never('(404, NOT_FOUND): the webhook or its space')],
  ['Google Chat', 400, google('INVALID_ARGUMENT'), never('copy the whole URL')],
  ['Google Chat', 403, '<html>xoxkey', never('(403): the webhook')],
])('the answer of %s: %d %s', async (chat, status, body, expected) => {
  const { result } = await sendTo(chat, { status, body });
  expect(result).toMatchObject(expected);
  expect(JSON.stringify(result)).not.toContain('xoxkey');
});
