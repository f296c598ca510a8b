import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSlackInbox, type SlackInbox } from '../../../local/inbox/slack-inbox.ts';
import { slackView } from '../../../local/inbox/slack-view.ts';
import { slackBlocks } from '../../../shared/channels/slack/blocks.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { aMessage, anItem } from '../../fixtures/messages.ts';

const NOW = Date.parse('2026-03-03T09:00:00Z');

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

test('keeps messages with their time, newest first', () => {
  const { blocks } = slackBlocks(aMessage());
  inbox.keep('shop', { text: 'first', blocks: [] });
  clock.advanceTo(NOW + 60_000);
  inbox.keep('web', { text: 'second', blocks });
  reopen();
  expect(inbox.list()).toEqual([
    { channel: 'web', receivedAt: NOW + 60_000, text: 'second', blocks },
    { channel: 'shop', receivedAt: NOW, text: 'first', blocks: [] },
  ]);
});

test('drops only the line that a crash left incomplete', () => {
  inbox.keep('shop', { text: 'whole', blocks: [] });
  appendFileSync(file, '{"channel":"shop","recei');
  reopen();
  inbox.keep('shop', { text: 'after', blocks: [] });
  reopen();
  expect(inbox.list().map(({ text }) => text)).toEqual(['after', 'whole']);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
});

test('a full disk refuses a message, and leaves no part of it', () => {
  const writer = fileURLToPath(new URL('./inbox-writer.ts', import.meta.url));
  // At most 4 blocks of 512 bytes.
  const command = `ulimit -f 4; exec "${process.execPath}" "${writer}" "${file}"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect(stderr).toContain('EFBIG: file too large, write');
  reopen();
  inbox.keep('shop', { text: 'after', blocks: [] });
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(stdout.length + 1);
});

test('the page shows messages with their pictures and links, and escapes their text', async () => {
  const item = anItem({ headline: 'Purchases on <script> down 41%' });
  inbox.keep('shop', slackBlocks(aMessage({ items: [item] })));
  const shown = String(await slackView(inbox.list(), NOW + 60_000, 'Europe/Berlin').body);
  expect(shown).toContain('<h2>');
  expect(shown).toContain('#shop');
  expect(shown).toContain('(Europe/Berlin)</time>');
  expect(shown).not.toContain('<script>');
});
