import { describe, expect, it } from 'vitest';
import { isFromSlack, replyOnSlack } from '../../../shared/channels/slack/signed-requests.ts';
import { NOW, openDesk } from './desk.ts';
import { SECRET, signed } from './slack-signature.ts';

const REPLY_TO = 'https://hooks.slack.com/actions/T0/1/abc';

/** The relevant part of the payload that Slack sends for a button. */
function pressed(action: object, user: object = { id: 'U1', username: 'anna', name: 'anna' }): string {
  const payload = {
    ...{ type: 'block_actions', user, api_app_id: 'A1', token: 'old', trigger_id: '1.2' },
    ...{ container: { type: 'message' }, team: { id: 'T1', domain: 'shop' }, response_url: REPLY_TO },
    actions: [{ type: 'button', block_id: 'b', action_ts: '1.2', ...action }],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** An entry of the menu, in a message with these elements beside it. */
function chosen(answer: string, elements: unknown[]): string {
  const action = { type: 'static_select', action_id: 'more', selected_option: { value: answer } };
  const form = new URLSearchParams(pressed(action));
  const payload = JSON.parse(form.get('payload') ?? '');
  const blocks = [
    { type: 'header', block_id: 'a' },
    { type: 'actions', block_id: 'b', elements },
  ];
  return new URLSearchParams({ payload: JSON.stringify({ ...payload, message: { blocks } }) }).toString();
}

async function slackDesk() {
  const replies: { to: string; text: string }[] = [];
  const desk = await openDesk({
    slack: {
      isGenuine: async (request) => isFromSlack(request, SECRET, NOW),
      async reply(to, text) {
        replies.push({ to, text });
        return true;
      },
    },
  });
  const send = (body: string, headers = signed(body)) =>
    desk.request('/slack/interactions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  const tokenFor = async (...args: Parameters<typeof desk.linkTo>) =>
    (await desk.linkTo(...args)).slice('/a/'.length);
  return { ...desk, replies, send, tokenFor };
}

it.each(['', ' \n'])('refuses all signatures if the secret is blank: %j', (secret) => {
  const headers = signed('payload', { secret: secret.trim() });
  const request = {
    timestamp: headers['X-Slack-Request-Timestamp'],
    signature: headers['X-Slack-Signature'],
    body: 'payload',
  };
  expect(isFromSlack(request, secret, NOW)).toBe(false);
});

describe('a button in Slack', () => {
  it('answers under the name of the user, and shows the result', async () => {
    const { send, tokenFor, stored, replies, audit } = await slackDesk();
    const value = await tokenFor('acknowledge');
    const response = await send(pressed({ action_id: 'acknowledge', value }));
    expect(await audit.load({ atMost: 9 })).toMatchObject([{ by: 'anna', how: 'slack', on: 'sales' }]);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect((await stored()).acknowledged).toEqual({ by: 'anna', reason: '', at: NOW });
    expect(replies).toEqual([{ to: REPLY_TO, text: 'Acknowledge: done. Recorded.' }]);
  });

  it.each<[string, string, unknown[]]>([
    ['an unknown answer', 'delete', [{ value: 'acknowledge' }]],
    ['a menu without a button', 'snooze-1d', [{ type: 'static_select' }]],
    ['a button of another system', 'snooze-1d', [{ value: 'a.b.c' }]],
  ])('a menu entry changes nothing for %s', async (_, answer, elements) => {
    const { send, writes, tokenFor } = await slackDesk();
    const token = await tokenFor('acknowledge');
    const filled = JSON.parse(JSON.stringify(elements).replace('"acknowledge"', JSON.stringify(token)));
    expect((await send(chosen(answer, filled))).status).toBe(200);
    expect(writes).toEqual([]);
  });

  it('accepts the payload of a long message', async () => {
    const { send, tokenFor, stored } = await slackDesk();
    const blocks = Array.from({ length: 50 }, () => ({ type: 'section', text: '<é>'.repeat(1000) }));
    const value = await tokenFor('acknowledge');
    expect((await send(pressed({ value, message: { blocks } }))).status).toBe(200);
    expect((await stored()).acknowledged?.by).toBe('anna');
    expect((await send('x'.repeat(2_000_000))).status).toBe(413);
  });

  it('uses the id of a user without a name', async () => {
    const { send, tokenFor, stored } = await slackDesk();
    await send(pressed({ value: await tokenFor('acknowledge') }, { id: 'U1' }));
    expect((await stored()).acknowledged?.by).toBe('U1');
  });

  it('shares its single use with the link', async () => {
    const { send, tokenFor, post, replies, stored } = await slackDesk();
    const value = await tokenFor('snooze-1h');
    await post(`/a/${value}`, { by: '<!channel> & Ben' });
    await send(pressed({ value }));
    expect((await stored()).answers).toHaveLength(1);
    expect(replies[0]?.text).toBe(
      'Nothing changed. &lt;!channel&gt; &amp; Ben used this link Tue 3 Mar 2026, 09:00 (UTC). A link works once.',
    );
  });

  it.each<[string, string]>([
    ['of another system', 'a.b.c'],
    ['without a token', '{}'],
  ])('%s changes nothing, and the reply says so', async (_, value) => {
    const { send, writes, replies } = await slackDesk();
    expect((await send(pressed({ value }))).status).toBe(200);
    expect(writes).toEqual([]);
    expect(replies.map(({ text }) => text)).toEqual([
      'Nothing changed: this button is from another Deltawatch.',
    ]);
  });

  it.each<[string, string]>([
    ['only opens a link', pressed({ action_id: 'open', url: 'https://watch.example.com/' })],
    ['is not JSON', 'payload=%7B'],
    ['is another interaction', new URLSearchParams({ payload: '{"type":"view_closed"}' }).toString()],
    ['is empty', ''],
  ])('that %s is acknowledged and has no effect', async (_, body) => {
    const { send, writes, replies } = await slackDesk();
    expect((await send(body)).status).toBe(200);
    expect([writes, replies]).toEqual([[], []]);
  });
});

describe('a request that is not from Slack', () => {
  const body = pressed({ value: 'x' });
  it.each<[string, Record<string, string>]>([
    ['has no signature', {}],
    ['has a signature by another secret', signed(body, { secret: 'other' })],
    ['has the signature of another body', signed(`${body}&a=b`)],
    ['is six minutes old', signed(body, { at: NOW - 360_000 })],
    ['comes from the future', signed(body, { at: NOW + 360_000 })],
    ['has an invalid time', { ...signed(body), 'X-Slack-Request-Timestamp': 'now' }],
    ['has a shorter signature', { ...signed(body), 'X-Slack-Signature': 'v0=00' }],
    ['has a signature of another version', { ...signed(body), 'X-Slack-Signature': `v1=${'0'.repeat(64)}` }],
  ])('is refused if it %s', async (_, headers) => {
    const { send, writes, replies, logged } = await slackDesk();
    expect((await send(body, headers)).status).toBe(401);
    expect([writes, replies]).toEqual([[], []]);
    expect(logged).toEqual([
      { message: expect.stringContaining('its signature is not valid'), fields: undefined },
    ]);
  });

  it('is refused without a Slack app', async () => {
    const { post, writes } = await openDesk();
    expect((await post('/slack/interactions', { payload: '{}' })).status).toBe(401);
    expect(writes).toEqual([]);
  });
});

it('verifies the example in the documentation of Slack', () => {
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
  const request = { timestamp: '1531420618', signature, body };
  expect(isFromSlack(request, SECRET, 1_531_420_618_000)).toBe(true);
  expect(isFromSlack(request, `${SECRET}\n`, 1_531_420_618_000)).toBe(true);
});

describe('a reply', () => {
  it('is only sent to Slack', async () => {
    const asked: string[] = [];
    const send: typeof fetch = async (to) => {
      asked.push(String(to));
      return new Response('ok');
    };
    const elsewhere = [
      'http://hooks.slack.com/actions/1',
      'https://hooks.slack.com.evil.example/',
      'https://evil.example/?hooks.slack.com',
      'https://169.254.169.254/',
      'file:///etc/passwd',
      'nonsense',
    ];
    for (const to of elsewhere) expect(await replyOnSlack(to, 'hello', send)).toBe(false);
    expect(asked).toEqual([]);
    expect(await replyOnSlack(REPLY_TO, 'hello', send)).toBe(true);
    expect(asked).toEqual([REPLY_TO]);
  });

  it('that cannot be sent does not fail the answer', async () => {
    const cut: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));
    expect(await replyOnSlack(REPLY_TO, 'hello', cut)).toBe(false);
    const refused: typeof fetch = async () => new Response('expired_url', { status: 404 });
    expect(await replyOnSlack(REPLY_TO, 'hello', refused)).toBe(false);
  });
});
