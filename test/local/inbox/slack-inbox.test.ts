import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { openSlackInbox, type SlackInbox } from '../../../local/inbox/slack-inbox.ts';
import { slackView } from '../../../local/inbox/slack-view.ts';
import { createSlackChannel } from '../../../shared/channels/slack/channel.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { aMessage, anItem } from '../../fixtures/messages.ts';

const NOW = Date.parse('2026-03-03T09:00:00Z');
const header = { type: 'header', text: { type: 'plain_text', text: 'Something fell' } };

let folder: string;
let file: string;
let clock: ManualClock;
let inbox: SlackInbox;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inbox-'));
  file = join(folder, 'deeper', 'slack.ndjson');
  clock = new ManualClock(NOW);
  inbox = openSlackInbox({ file, clock });
});

afterEach(() => {
  inbox.close();
  rmSync(folder, { recursive: true });
});

function reopen(): void {
  inbox.close();
  inbox = openSlackInbox({ file, clock });
}

async function post(body: unknown, path = '/services/shop'): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await inbox.app.request(path, { method: 'POST', body: text });
  return `${response.status} ${await response.text()}`;
}

test('stores messages with their time, newest first', async () => {
  expect(await post({ text: 'first' })).toBe('200 ok');
  clock.advanceTo(NOW + 60_000);
  expect(await post({ text: 'second', blocks: [header] }, '/services/web')).toBe('200 ok');
  expect(inbox.list()).toEqual([
    { channel: 'web', receivedAt: NOW + 60_000, text: 'second', blocks: [header] },
    { channel: 'shop', receivedAt: NOW, text: 'first', blocks: [] },
  ]);
});

test('drops only the line that a crash left incomplete', async () => {
  await post({ text: 'whole' });
  appendFileSync(file, '{"channel":"shop","recei');
  reopen();
  await post({ text: 'after' });
  reopen();
  expect(inbox.list().map(({ text }) => text)).toEqual(['after', 'whole']);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});

describe('the inbox, like Slack, rejects', () => {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  test.each([
    ['invalid JSON', '{"text":', 'invalid_payload'],
    ['no blocks and an empty text', { text: '', blocks: [] }, 'no_text'],
    ['51 blocks', { blocks: Array(51).fill(header) }, 'invalid_blocks'],
    ['an unknown block', { text: 'a', blocks: [{ type: 'carousel' }] }, 'invalid_blocks'],
    ['an empty section', { text: 'a', blocks: [{ type: 'section' }] }, 'invalid_blocks'],
    ['a section of 3001 characters', { blocks: [section('a'.repeat(3001))] }, 'invalid_blocks'],
  ])('%s', async (_, body, word) => {
    expect(await post(body)).toBe(`400 ${word}`);
    expect(inbox.list()).toEqual([]);
  });
});

describe('buttons', () => {
  const button = (overrides: Record<string, unknown> = {}) => ({
    type: 'button',
    text: { type: 'plain_text', text: 'Acknowledge' },
    ...overrides,
  });
  const posted = (...elements: unknown[]) => post({ text: 'a', blocks: [{ type: 'actions', elements }] });

  test.each<[string, unknown[]]>([
    ['more than 25', Array.from({ length: 26 }, (_, i) => button({ action_id: `a${i}` }))],
    ['two with one id', [button({ action_id: 'a' }), button({ action_id: 'a' })]],
    ['a value of 2001 characters', [button({ value: 'a'.repeat(2001) })]],
  ])('are rejected with %s', async (_, elements) => {
    expect(await posted(...elements)).toBe('400 invalid_blocks');
  });

  test('are shown: link buttons as links, buttons for a Slack app as disabled', async () => {
    await posted(
      button({ action_id: 'a', value: 'token' }),
      button({
        action_id: 'open',
        url: 'https://dw.example.com/',
        text: { type: 'plain_text', text: '<Open>' },
      }),
    );
    const shown = String(await slackView(inbox.list(), NOW, 'UTC').body);
    expect(shown).toContain('<button type="button" disabled>Acknowledge</button>');
    expect(shown).toContain(
      '<a class="button" href="https://dw.example.com/" rel="noreferrer">&lt;Open&gt;</a>',
    );
    expect(shown).not.toContain('token');
  });
});

describe('the calls of a bot', () => {
  async function call(method: string, form: Record<string, string>): Promise<Record<string, unknown>> {
    const body = new URLSearchParams({ channel: 'shop', ...form });
    const response = await inbox.app.request(`/api/${method}`, { method: 'POST', body });
    return z.record(z.string(), z.unknown()).parse(await response.json());
  }

  test('make one message with its thread, also after the inbox is reopened', async () => {
    const ts = String((await call('chat.postMessage', { text: 'fired' })).ts);
    clock.advanceTo(NOW + 60_000);
    await call('chat.update', { ts, text: 'acknowledged by <@U1>' });
    await call('chat.postMessage', { thread_ts: ts, text: 'Anna <script> acknowledged' });
    reopen();
    await call('chat.postMessage', { thread_ts: ts, text: 'recovered' });
    expect(inbox.list()).toMatchObject([
      { text: 'acknowledged by <@U1>', updatedAt: NOW + 60_000, replies: [{}, { text: 'recovered' }] },
    ]);
    const shown = String(await slackView(inbox.list(), NOW + 60_000, 'Europe/Berlin').body);
    expect(shown.match(/<li class="message">/g)).toHaveLength(1);
    expect(shown).toContain('(Europe/Berlin)</time>');
    expect(shown).not.toContain('(UTC)');
    expect(shown).toContain('updated just now');
    expect(shown).toContain('<span class="mention">@U1</span>');
    expect(shown).toMatch(/2 replies.*Anna &lt;script&gt; acknowledged.*recovered/s);
  });

  test.each([
    ['chat.update', { ts: '1.0', text: 'a' }, 'message_not_found'],
    ['chat.postMessage', { thread_ts: '1.0', text: 'a' }, 'thread_not_found'],
    ['chat.postMessage', { channel: 'No Channel', text: 'a' }, 'channel_not_found'],
    ['chat.postMessage', { text: 'a', blocks: '[{"type":"carousel"}]' }, 'invalid_blocks'],
  ])('are refused with 200 and a word: %s %o', async (method, form, error) => {
    expect(await call(method, form as Record<string, string>)).toEqual({ ok: false, error });
    expect(inbox.list()).toEqual([]);
  });
});

test('accepts the messages of the Slack channel', async () => {
  const channel = createSlackChannel({
    webhookUrl: 'http://127.0.0.1/services/shop',
    clock,
    fetch: async (url, init) => inbox.app.request(String(url), init as RequestInit),
  });
  const item = anItem({ headline: 'Purchases on <script> down 41%' });
  expect(await channel.send(aMessage({ items: [item] }))).toEqual({ kind: 'sent' });
  expect(inbox.list()[0]?.blocks.map(({ type }) => type)).toEqual([
    'header',
    'section',
    'context',
    'section',
  ]);
});
