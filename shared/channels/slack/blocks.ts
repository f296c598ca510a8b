import { ALERTS_PER_MESSAGE, type Message, type MessageItem, messageOf } from '../../messages/message.ts';
import { withoutZone } from '../../messages/time-text.ts';
import { type ChatItem, type ChatLayout, lookOf, moreOf, mostThatFits, signed } from '../chat-layout.ts';
import {
  type Block,
  link,
  mrkdwn,
  plainText,
  SLACK_LIMITS,
  type SlackBlock,
  section,
  within,
} from './block.ts';
import { answersOf } from './buttons.ts';
import type { Mention } from './config.ts';
import { mentionsIn } from './mentions.ts';

/**
 * Our own limits. All blocks together must stay under about 13,000 characters: `msg_blocks_too_long` is not
 * documented, see https://github.com/slackapi/bolt-js/issues/2509. Ten headlines always fit.
 */
const OURS = {
  allBlocks: 12_000,
  headline: 350,
  summary: 500,
  label: 80,
  fact: 700,
  smallFact: 300,
  runbook: 1000,
  fallback: 3000,
  source: 100,
} as const;

export interface SlackLayout {
  interactive?: boolean | undefined;
  mentions?: Mention[] | undefined;
}

export interface SlackPayload {
  text: string;
  blocks: SlackBlock[];
}

/**
 * The Slack blocks of `message`; `text` is what notifications show. If it is too long, facts are left out from the end, or
 * the links of later items; headlines never. `interactive`: answers are buttons that a Slack app handles, otherwise links.
 */
export function slackBlocks(
  message: Message,
  { interactive = false, mentions }: SlackLayout = {},
): SlackPayload {
  const { items, zone } = inOneZone(message.items.slice(0, ALERTS_PER_MESSAGE));
  const called = mentionsIn(message.items, mentions);
  const title = zone === null ? message.title : withoutZone(message.title, zone);
  const shown = { ...message, title, items: [...items, ...message.items.slice(ALERTS_PER_MESSAGE)] };
  const blocks = mostThatFits(
    shown,
    (layout): SlackBlock[] => [
      { type: 'header', text: plainText(SLACK_LIMITS.header, layout.title) },
      ...(called === '' ? [] : [section(called)]),
      ...(layout.single ? alone(layout.single, interactive, zone) : inDigest(layout, zone)),
    ],
    areWithin,
  );
  return { text: textOf(message.text, called), blocks };
}

function areWithin(blocks: SlackBlock[]): boolean {
  const isWithin = blocks.every((block) => {
    if (block.type === 'section') return (block.text?.text.length ?? 0) <= SLACK_LIMITS.sectionText;
    return block.type !== 'context' || block.elements.length <= SLACK_LIMITS.contextElements;
  });
  return isWithin && JSON.stringify(blocks).length <= OURS.allBlocks;
}

/** News for the thread of a message: two lines, and what a person said. */
export function slackReply(item: MessageItem, { mentions }: SlackLayout = {}): SlackPayload {
  const called = mentionsIn([item], mentions);
  const said = item.facts.filter(({ isNews }) => isNews).map(({ text }) => within(OURS.fact, text));
  const lines = [
    headlineOf(signed(lookOf(item), item.headline)),
    within(OURS.summary, item.summary),
    ...said,
  ];
  return {
    text: textOf(messageOf([item]).text, called),
    blocks: [...(called === '' ? [] : [section(called)]), section(lines.join('\n'))],
  };
}

/** What notifications show. Mentions are in it, as phones ring for those. */
function textOf(text: string, called: string): string {
  return `${called}${called && ' '}${within(OURS.fallback, text)}`;
}

function alone(layout: ChatItem, interactive: boolean, zone: string | null): SlackBlock[] {
  const { headline, item, facts, smallFacts, moreFacts, source, runbook, open, answers } = layout;
  // The header truncates long text.
  const isCut = headline.length > SLACK_LIMITS.header;
  const lines = [...facts.map((fact) => factOf(fact, OURS.fact)), ...moreFacts];
  const footnote = [...source.map((part) => within(OURS.source, part)), ...timesIn(zone)].join('  ·  ');
  return [
    ...(isCut ? [section(`*${within(SLACK_LIMITS.sectionText - 10, item.headline)}*`)] : []),
    ...(lines.length > 0 ? [section(lines.join('\n'))] : []),
    ...pictureOf(layout),
    {
      type: 'context',
      elements: [...smallFacts.map((fact) => factOf(fact, OURS.smallFact)), footnote].map(mrkdwn),
    },
    ...(runbook === null
      ? []
      : [
          section(
            `*What to do:* ${typeof runbook === 'string' ? within(OURS.runbook, runbook) : link(runbook)}`,
          ),
        ]),
    ...answersOf({ open, answers }, interactive),
  ];
}

/** The alerts of a digest: headline, one line of figures, and a link each. Then the others, and the time zone. */
function inDigest(layout: ChatLayout, zone: string | null): SlackBlock[] {
  const items = layout.items.flatMap((item): SlackBlock[] => {
    const { headline, summary, open } = item;
    const below = [
      ...(summary === null ? [] : [within(OURS.summary, summary)]),
      ...(open ? [link(open)] : []),
    ];
    return [
      section([headlineOf(headline), ...(below.length > 0 ? [below.join('  ·  ')] : [])].join('\n')),
      ...pictureOf(item),
    ];
  });
  const more = [...moreOf(layout, link), ...timesIn(zone)];
  return [
    ...items,
    ...(more.length > 0 ? [{ type: 'context' as const, elements: [mrkdwn(more.join('  ·  '))] }] : []),
  ];
}

/** The glyph, and the rest in bold. */
function headlineOf(headline: string): string {
  const [glyph = '', ...words] = headline.split(' ');
  return `${glyph} *${within(OURS.headline, words.join(' '))}*`;
}

function factOf({ label, text }: MessageItem['facts'][number], limit: number): string {
  return `*${within(OURS.label, label)}:* ${within(limit, text)}`;
}

function timesIn(zone: string | null): string[] {
  return zone === null ? [] : [`times in ${zone}`];
}

function pictureOf({ picture }: ChatItem): Block<'image'>[] {
  if (!picture || picture.alt === '') return [];
  const { text } = plainText(SLACK_LIMITS.altText, picture.alt);
  return [{ type: 'image', image_url: picture.url, alt_text: text }];
}

/** The items without their time zone, to name it once instead; `null` if their zones differ, or if they name none. */
function inOneZone(items: MessageItem[]): { items: MessageItem[]; zone: string | null } {
  const [zone, ...others] = new Set(items.map((item) => item.zone));
  if (zone === undefined || others.length > 0) return { items, zone: null };
  const plain = items.map((item) => withoutZoneIn(item, zone));
  const isNamed = JSON.stringify(plain) !== JSON.stringify(items);
  return { items: plain, zone: isNamed ? zone : null };
}

function withoutZoneIn(item: MessageItem, zone: string): MessageItem {
  return {
    ...item,
    headline: withoutZone(item.headline, zone),
    summary: withoutZone(item.summary, zone),
    facts: item.facts.map((fact) => ({ ...fact, text: withoutZone(fact.text, zone) })),
  };
}
