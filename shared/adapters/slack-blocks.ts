import type { IncomingWebhookSendArguments } from '@slack/webhook';
import { isEnd } from '../alerting/alert.ts';
import type { Message, MessageItem } from '../alerting/message.ts';
import type { Severity } from '../alerting/rule.ts';

type Block<Type extends string> = Extract<
  NonNullable<IncomingWebhookSendArguments['blocks']>[number],
  { type: Type }
>;
type SlackBlock = Block<'header' | 'section' | 'context'>;

/**
 * What Slack accepts at most; one character more and it refuses the whole message.
 * - blocks of a message: https://docs.slack.dev/reference/block-kit/blocks
 * - header text: https://docs.slack.dev/reference/block-kit/blocks/header-block
 * - section text, fields and text of a field: https://docs.slack.dev/reference/block-kit/blocks/section-block
 */
export const SLACK_LIMITS = {
  blocks: 50,
  header: 150,
  sectionText: 3000,
  fields: 10,
  fieldText: 2000,
} as const;

/** Items that one message shows; the rest is counted. */
const SHOWN = 10;

/**
 * What we send at most. All blocks together must stay under about 13,000 characters: `msg_blocks_too_long` is not
 * documented, see https://github.com/slackapi/bolt-js/issues/2509. The parts are short enough for one item to
 * always fit.
 */
const OURS = { allBlocks: 12_000, headline: 1500, fact: 500, runbook: 1000, fallback: 3000 } as const;

const GLYPHS: Record<Severity, string> = { critical: '🔴', warning: '🟠', info: '🔵' };

/**
 * `message` as Slack takes it: a header, two blocks an item, and how many items are left out. `text` is what
 * notifications show.
 */
export function slackBlocks(message: Message): { text: string; blocks: SlackBlock[] } {
  const header = headerOf(message);
  const room = SLACK_LIMITS.blocks - 2;
  let length = lengthOf(header) + lengthOf(moreOf(message.items.length));

  const shown: SlackBlock[] = [];
  let left = message.items.length;
  for (const item of message.items.slice(0, SHOWN)) {
    const blocks = blocksOf(item);
    length += blocks.reduce((sum, block) => sum + lengthOf(block), 0);
    if (shown.length > 0 && (shown.length + blocks.length > room || length > OURS.allBlocks)) break;
    shown.push(...blocks);
    left -= 1;
  }

  const blocks = [header, ...shown, ...(left > 0 ? [moreOf(left)] : [])];
  return { text: within(OURS.fallback, message.text), blocks };
}

function headerOf({ title, severity, items }: Message): Block<'header'> {
  const over = items.length > 0 && items.every((item) => isEnd(item.transition));
  const text = within(SLACK_LIMITS.header, `${over ? '✅' : GLYPHS[severity]} ${title}`, asIs);
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function blocksOf(item: MessageItem): SlackBlock[] {
  const glyph = isEnd(item.transition) ? '✅' : GLYPHS[item.severity];
  const section: Block<'section'> = {
    type: 'section',
    text: mrkdwn(`${glyph} *${within(OURS.headline, item.headline)}*`),
  };
  const facts = item.facts.slice(0, SLACK_LIMITS.fields);
  if (facts.length > 0) section.fields = facts.map(fieldOf);
  return [section, footnoteOf(item)];
}

function fieldOf({ label, text }: MessageItem['facts'][number]) {
  return mrkdwn(`*${within(80, label)}*\n${within(OURS.fact, text)}`);
}

/** Which rule speaks, what to do, and whether figures are left out. */
function footnoteOf({ ruleId, segment, runbook, facts }: MessageItem): Block<'context'> {
  const unshown = facts.length - SLACK_LIMITS.fields;
  const parts = [
    within(200, segment === null ? ruleId : `${ruleId} · ${segment}`),
    ...(unshown > 0 ? [`+${unshown} more figures`] : []),
    ...(runbook ? [runbookOf(runbook)] : []),
  ];
  return { type: 'context', elements: [mrkdwn(parts.join('  |  '))] };
}

function runbookOf(runbook: string): string {
  const url = URL.canParse(runbook) ? new URL(runbook) : undefined;
  const isLink = url?.protocol === 'https:' || url?.protocol === 'http:';
  const href = isLink ? escaped(url.href.replaceAll('|', '%7C')) : '';
  return href && href.length <= OURS.runbook
    ? `<${href}|What to do>`
    : `What to do: ${within(OURS.runbook, runbook)}`;
}

function moreOf(count: number): Block<'context'> {
  return { type: 'context', elements: [mrkdwn(`+${count} more`)] };
}

/** `verbatim`: Slack makes no links, channels or mentions of words that only look like them. */
function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true } as const;
}

/** Plain text, as in a header, is not escaped. */
const asIs = (text: string) => text;

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: without these three nothing can mention anyone. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `text` as `written`, cut visibly to at most `limit` characters, never inside a character or its escape. */
function within(limit: number, text: string, written: (text: string) => string = escaped): string {
  if (written(text).length <= limit) return written(text);
  let kept = '';
  for (const character of text) {
    const next = kept + written(character);
    if (next.length >= limit) break;
    kept = next;
  }
  return `${kept}…`;
}

function lengthOf(block: SlackBlock): number {
  return JSON.stringify(block).length;
}
