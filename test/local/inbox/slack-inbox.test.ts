import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSlackInbox, type SlackInbox } from '../../../local/inbox/slack-inbox.ts';
import { createSlackChannel } from '../../../shared/adapters/slack-channel.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';

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

test('keeps what it is sent with the time, the newest first', async () => {
  expect(await post({ text: 'first' })).toBe('200 ok');
  clock.advanceTo(NOW + 60_000);
  expect(await post({ text: 'second', blocks: [header] }, '/services/web')).toBe('200 ok');
  expect(inbox.list()).toEqual([
    { channel: 'web', receivedAt: NOW + 60_000, text: 'second', blocks: [header] },
    { channel: 'shop', receivedAt: NOW, text: 'first', blocks: [] },
  ]);
});

test('has everything again after it is reopened', async () => {
  await post({ text: 'kept' });
  const before = inbox.list();
  reopen();
  expect(inbox.list()).toEqual(before);
});

test('drops a line that a kill left half written, and no other', async () => {
  await post({ text: 'whole' });
  appendFileSync(file, '{"channel":"shop","recei');
  reopen();
  await post({ text: 'after' });
  reopen();
  expect(inbox.list().map(({ text }) => text)).toEqual(['after', 'whole']);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});

describe('refuses what Slack refuses', () => {
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  test.each([
    ['no JSON', '{"text":', 'invalid_payload'],
    ['a text that is none', { text: 7 }, 'invalid_payload'],
    ['neither text nor blocks', {}, 'no_text'],
    ['no blocks and an empty text', { text: '', blocks: [] }, 'no_text'],
    ['51 blocks', { blocks: Array(51).fill(header) }, 'invalid_blocks'],
    ['an unknown block', { text: 'a', blocks: [{ type: 'carousel' }] }, 'invalid_blocks'],
    ['a section of nothing', { text: 'a', blocks: [{ type: 'section' }] }, 'invalid_blocks'],
    ['a section of 3001 characters', { blocks: [section('a'.repeat(3001))] }, 'invalid_blocks'],
    [
      'mrkdwn in a header',
      { blocks: [{ type: 'header', text: { type: 'mrkdwn', text: 'a' } }] },
      'invalid_blocks',
    ],
    [
      'an 11th field',
      { blocks: [{ type: 'section', fields: Array(11).fill({ type: 'mrkdwn', text: 'a' }) }] },
      'invalid_blocks',
    ],
  ])('%s', async (_, body, word) => {
    expect(await post(body)).toBe(`400 ${word}`);
    expect(inbox.list()).toEqual([]);
  });

  test('a channel that cannot be one', async () => {
    expect(await post({ text: 'a' }, '/services/No%20Channel')).toBe('404 no_service');
  });
});

test('takes what the Slack channel sends', async () => {
  const channel = createSlackChannel({
    webhookUrl: 'http://127.0.0.1/services/shop',
    fetch: async (url, init) => inbox.app.request(String(url), init as RequestInit),
  });
  const result = await channel.send({
    text: 'Purchases fell',
    title: 'Purchases fell',
    severity: 'critical',
    overviewUrl: null,
    items: [
      {
        key: 'purchases#<script>',
        ruleId: 'purchases',
        segment: '<script>',
        transition: 'fired',
        severity: 'critical',
        headline: 'Purchases: <script> fell',
        facts: [{ label: 'Now', text: '12 events' }],
        runbook: 'https://example.com/runbook',
        links: null,
      },
    ],
  });
  expect(result).toEqual({ kind: 'sent' });
  expect(inbox.list()[0]?.blocks.map(({ type }) => type)).toEqual(['header', 'section', 'context']);
});
