import { expect, test } from 'vitest';
import { createMattermostChannel, mattermostPost } from '../../../../shared/channels/mattermost/channel.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage } from '../../../fixtures/messages.ts';

test('names are shown as they are: no Markdown, no mention and no link', () => {
  const title = '@channel [Click](https://evil.example) **now** <https://evil.example|here>';
  expect(mattermostPost(aMessage({ title })).text.replaceAll('\u200B', '^')).toBe(
    '**🔴 @^channel \\[Click\\](https:^//evil.example) \\*\\*now\\*\\* &lt;https:^//evil.example\\|here\\>**',
  );
});

const errorOf = (id: string) =>
  `{"id":"${id}","message":"about xoxkey","detailed_error":"","request_id":"x"}`;

test.each<[number, string, object]>([
  [200, 'ok', { kind: 'sent' }],
  [200, '<html>', { permanent: false, reason: 'something other than Mattermost answered' }],
  [302, '', { permanent: false, reason: 'something other than Mattermost answered' }],
  [
    400,
    errorOf('web.incoming_webhook.invalid.app_error'),
    {
      permanent: true,
      reason:
        'Mattermost refused the message (400, web.incoming_webhook.invalid.app_error): the webhook was deleted; create a new one and store its URL in the secret',
    },
  ],
  [
    404,
    errorOf('web.incoming_webhook.channel.app_error'),
    { permanent: true, reason: expect.stringContaining('create a webhook for another channel') },
  ],
  [
    403,
    errorOf('web.incoming_webhook.permissions.app_error'),
    { permanent: true, reason: expect.stringContaining('create one as somebody who may') },
  ],
  [400, '{"id":"<b>xoxkey"}', { permanent: true, reason: expect.stringContaining('(400): the message') }],
  [
    501,
    errorOf('web.incoming_webhook.disabled.app_error'),
    { permanent: false, reason: 'Mattermost failed (501, web.incoming_webhook.disabled.app_error)' },
  ],
])('the answer %d %s', async (status, body, result) => {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(status).end(body);
  });
  const channel = createMattermostChannel({ webhookUrl: server.url, clock: new ManualClock(NOW) });
  expect(await channel.send(aMessage())).toMatchObject(result);
});
