import { beforeEach, describe, expect, test } from 'vitest';
import type { Receipt } from '../../../../shared/alerts/alert.ts';
import { createSlackBotChannel } from '../../../../shared/channels/slack/bot-channel.ts';
import type { Mention } from '../../../../shared/channels/slack/config.ts';
import { type MessageItem, messageOf } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';
import { fakeSlack } from '../../../fakes/fake-slack.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const NOW = Date.parse('2026-03-02T07:00:00Z');
const TOKEN = 'xoxb-12-hidden';
const clock = new ManualClock(NOW);

let slack: ReturnType<typeof fakeSlack>;
/** The calls of the test, as "method thread_ts or ts". */
let calls: string[];
beforeEach(() => {
  slack = fakeSlack();
  calls = [];
});

/** The channel of a bot, whose Slack is a fake with the limits of Slack. */
function botIn(channel = 'team', mentions: Mention[] = []) {
  return createSlackBotChannel({
    ...{ token: TOKEN, channel, clock, mentions, address: 'http://127.0.0.1/api/' },
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const form = new URLSearchParams(String(init?.body));
      const to = form.get('ts') ?? form.get('thread_ts');
      const isBroadcast = form.get('reply_broadcast') === 'true';
      calls.push(
        [pathname.slice('/api/'.length), ...(to ? ['to'] : []), ...(isBroadcast ? ['shown'] : [])].join(' '),
      );
      return slack.app.request(pathname, init as RequestInit);
    },
  });
}

/** Sends the items as one message. Each has the receipt that an earlier message got for its rule. */
async function send(items: MessageItem[], receipts = new Map<string, Receipt>(), bot = botIn()) {
  const given = items.map((item) => ({ ...item, receipt: receipts.get(item.ruleId) ?? null }));
  const result = await bot.send(messageOf(given));
  const byRule = given.flatMap(({ key, ruleId }) => {
    const receipt = result.receipts?.get(key);
    return receipt ? [[ruleId, receipt] as const] : [];
  });
  return { result, receipts: new Map([...receipts, ...byRule]) };
}

const fired = (rule = 'a') => anItem({ ruleId: rule, key: `${rule}#fired`, headline: `${rule} fell` });
const recovered = (rule = 'a') =>
  anItem({ ruleId: rule, key: `${rule}#over`, headline: `Recovered: ${rule}`, transition: 'recovered' });
const reminded = (rule = 'a') =>
  anItem({ ruleId: rule, key: `${rule}#again`, headline: `${rule} still fell`, transition: 'reminded' });

/** What the channel shows: each header, with the lines of its thread. */
function shown() {
  return slack.list().map(({ blocks, replies }) => ({
    header: blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : [])).join(),
    thread: replies.map(({ blocks: [first] }) =>
      first?.type === 'section' ? (first.text?.text.split('\n')[0] ?? '') : '',
    ),
  }));
}

test('an alert has one message, which shows its present state, with its story in the thread', async () => {
  const first = await send([fired()]);
  expect(first.result).toMatchObject({ kind: 'sent' });
  const second = await send([reminded()], first.receipts);
  await send([recovered()], second.receipts);
  expect(shown()).toEqual([
    { header: '✅ Recovered: a', thread: ['🔴 *a still fell*', '✅ *Recovered: a*'] },
  ]);
  // Only the reminder asks somebody to act, so only it is shown in the channel too.
  expect(calls).toEqual([
    ...['chat.postMessage', 'chat.update to', 'chat.postMessage to shown'],
    ...['chat.update to', 'chat.postMessage to'],
  ]);
});

test('a message about several alerts stays as it is, and their news is posted', async () => {
  const { receipts } = await send([fired('a'), fired('b')]);
  expect(receipts.size).toBe(0);
  await send([recovered('a'), recovered('b')], receipts);
  expect(shown()).toEqual([
    { header: '✅ Recovered: a, and 1 more', thread: [] },
    { header: '🔴 a fell, and 1 more', thread: [] },
  ]);
});

test('new and known alerts in one message: the new are posted, the known updated', async () => {
  const { receipts } = await send([fired('a')]);
  await send([fired('b'), recovered('a')], receipts);
  expect(shown()).toEqual([
    { header: '🔴 b fell', thread: [] },
    { header: '✅ Recovered: a', thread: ['✅ *Recovered: a*'] },
  ]);
});

test.each([
  ['deleted', { conversation: 'team', message: '1.000009' }],
  ['in another channel', { conversation: 'elsewhere', message: '1.000009' }],
])('a message that is %s is posted again', async (_, receipt) => {
  const { result, receipts } = await send([recovered()], new Map([['a', receipt]]));
  expect(result).toMatchObject({ kind: 'sent' });
  expect(shown()).toEqual([{ header: '✅ Recovered: a', thread: [] }]);
  expect(receipts.get('a')).toMatchObject({ conversation: 'team', message: slack.list()[0]?.ts });
});

describe('mentions', () => {
  const mentions = [
    { match: { severity: 'critical' as const, owner: 'checkout-team' }, mention: 'S0123ABCD' },
    { match: { owner: 'other' }, mention: 'U0123ABCD' },
  ];
  const content = () => JSON.stringify(slack.list());

  test('are in the text and in the message of news that asks somebody to act', async () => {
    const { receipts } = await send([fired()], new Map(), botIn('team', mentions));
    const [message] = slack.list();
    expect(message?.text).toMatch(/^<!subteam\^S0123ABCD> Critical: a fell/);
    expect(message?.blocks[1]).toMatchObject({ text: { text: '<!subteam^S0123ABCD>' } });
    expect(content()).not.toContain('U0123ABCD');
    await send([reminded()], receipts, botIn('team', mentions));
    expect(slack.list()[0]?.replies?.[0]?.text).toMatch(/^<!subteam/);
  });

  test.each(['recovered', 'acknowledged', 'snoozed', 'test'] as const)('not when %s', async (transition) => {
    await send([anItem({ transition })], new Map(), botIn('team', [{ mention: 'channel' }]));
    expect(content()).not.toContain('<!channel>');
  });
});

describe('an answer of Slack', () => {
  async function answered(status: number, body: string, headers = {}) {
    let attempts = 0;
    await using server = await listen((_request, _body, response) => {
      attempts += 1;
      response.writeHead(status, headers).end(body);
    });
    const address = `${server.url}/api/`;
    const result = await createSlackBotChannel({ token: TOKEN, channel: 'C1', clock, address }).send(
      aMessage(),
    );
    expect(JSON.stringify(result)).not.toContain('hidden');
    return { result, attempts };
  }
  const no = (error: string) => JSON.stringify({ ok: false, error });

  test.each([
    ['invalid_auth', 'store the token'],
    ['not_in_channel', '/invite'],
    ['channel_not_found', 'correct "channel"'],
    ['is_archived', 'unarchive'],
    ['missing_scope', 'chat:write'],
    ['msg_too_long', 'bug in Deltawatch'],
  ])('%s is permanent, and says what to do', async (error, advice) => {
    const { result } = await answered(200, no(error));
    expect(result).toMatchObject({
      kind: 'refused',
      permanent: true,
      reason: expect.stringContaining(advice),
    });
    expect(result).not.toHaveProperty('sentKeys');
  });

  test.each([
    ['429 with seconds', 429, '', { 'Retry-After': '7' }, { retryAfterMs: 7000 }],
    ['429 without', 429, '', {}, { reason: 'Slack is rate limiting (429)' }],
    ['internal_error', 200, no('internal_error'), {}, {}],
    ['a page of a proxy', 200, '<html>Sign in</html>', {}, { reason: 'something other than Slack answered' }],
    ['a failing proxy', 502, '<html>Bad gateway</html>', {}, { reason: 'Slack failed (502)' }],
    [
      'a redirect',
      302,
      '',
      { Location: 'https://elsewhere.example.com' },
      { reason: 'something other than Slack answered' },
    ],
  ])('%s is temporary, and tried once', async (_, status, body, headers, result) => {
    const answer = await answered(status, body, headers);
    expect(answer).toMatchObject({ attempts: 1, result: { kind: 'refused', permanent: false, ...result } });
  });
});

test('after a refusal, the alerts that got through are named with their messages', async () => {
  const { receipts } = await send([fired('a')]);
  await send([fired('b')]);
  // Slack is busy when the message of b is updated.
  const busy = createSlackBotChannel({
    ...{ token: TOKEN, channel: 'team', clock, address: 'http://127.0.0.1/api/' },
    fetch: async (url, init) =>
      String(init?.body).includes('ts=busy')
        ? new Response('', { status: 429, headers: { 'Retry-After': '1' } })
        : slack.app.request(new URL(url).pathname, init as RequestInit),
  });
  const known = new Map([...receipts, ['b', { conversation: 'team', message: 'busy' }] as const]);
  const { result } = await send([recovered('a'), recovered('b')], known, busy);
  expect(result).toMatchObject({
    kind: 'refused',
    permanent: false,
    retryAfterMs: 1000,
    sentKeys: ['a#over'],
  });
  expect(result.receipts?.has('a#over')).toBe(true);
});

test('a token of another kind is refused without being quoted', () => {
  const build = () => createSlackBotChannel({ token: 'xoxp-hidden', channel: 'C1', clock });
  expect(build).toThrow(ConfigError);
  expect(build).not.toThrow(/hidden/);
});

test('a message has one deadline for all its calls: what got through is known, the rest follows', {
  timeout: 5000,
}, async () => {
  const { receipts } = await send([fired('a')]);
  const second = await send([fired('b')], receipts);
  let asked = 0;
  const slow = createSlackBotChannel({
    ...{ token: TOKEN, channel: 'team', clock, address: 'http://127.0.0.1/api/' },
    ...{ timeoutMs: 60_000, messageTimeoutMs: 200 },
    // The update and the reply of the first alert, then silence.
    fetch: async (url, init) => {
      if (++asked <= 2) return slack.app.request(new URL(url).pathname, init as RequestInit);
      return new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    },
  });
  const { result } = await send([recovered('a'), recovered('b')], second.receipts, slow);
  expect(result).toMatchObject({
    ...{ kind: 'refused', permanent: false, sentKeys: ['a#over'] },
    reason: 'sending takes longer than 200 ms; the rest follows',
  });
  expect([...(result.receipts?.keys() ?? [])]).toEqual(['a#over']);
  expect(asked).toBe(3);
});
