import { isEnd, isTransition, type Sign, signOf } from '../../alerts/transitions.ts';
import { withoutZone } from '../../messages/figure-text.ts';
import { type ItemLinks, type Message, type MessageItem, messageOf, SHOWN } from '../../messages/message.ts';
import { inOneZone } from '../../messages/one-zone.ts';
import type { Severity } from '../../rules/rule-schema.ts';
import { NO_ALERT } from '../item-signs.ts';
import { type Block, SLACK_LIMITS, type SlackBlock, section } from './block.ts';
import { answersOf } from './buttons.ts';
import type { Mention } from './config.ts';
import { mentionsIn } from './mentions.ts';
import { linkTo, mrkdwn, plainText, within } from './text.ts';

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
  url: 1000,
  overviewUrl: 500,
} as const;

export interface SlackLayout {
  interactive?: boolean | undefined;
  mentions?: Mention[] | undefined;
}

export interface SlackPayload {
  text: string;
  blocks: SlackBlock[];
}

/** Items of a digest with a picture. */
const PICTURED = 3;

const GLYPHS: Record<Severity, string> = { critical: '🔴', warning: '🟠', info: '🔵' };
const SIGNS: Record<Exclude<Sign, 'severity'>, string> = {
  over: '✅',
  taken: '👀',
  snoozed: '💤',
  test: '🔔',
  digest: '📋',
};
const WORDS: Record<Severity, string> = { critical: 'critical', warning: 'warning', info: 'information' };

/** Levels of detail, from full to shortest. */
const DETAILS = ['all', 'no links', 'headline'] as const;
type Detail = (typeof DETAILS)[number];

/**
 * The Slack blocks of `message`; `text` is what notifications show. If it is too long, links of later items are
 * removed first, then the text below their headlines; headlines are never removed. `interactive`: answers are buttons
 * that a Slack app handles, otherwise links.
 */
export function slackBlocks(
  message: Message,
  { interactive = false, mentions }: SlackLayout = {},
): SlackPayload {
  const { items: shown, zone } = inOneZone(message.items.slice(0, SHOWN));
  const called = mentionsIn(message.items, mentions);
  const write = message.items.length === 1 ? single(interactive, zone) : inDigest;
  const around = [
    headerOf(message, zone),
    ...(called === '' ? [] : [section(called)]),
    ...moreOf(message, message.items.length - shown.length, zone),
  ];
  const details: Detail[] = shown.map(() => 'all');
  const written = () => shown.flatMap((item, i) => write(item, details[i] ?? 'headline', i));
  const isTooLong = () => JSON.stringify([...around, ...written()]).length > OURS.allBlocks;
  for (const detail of DETAILS.slice(1))
    for (let i = shown.length - 1; i >= 0 && isTooLong(); i--) details[i] = detail;
  const below = called === '' ? 1 : 2;
  return {
    text: textOf(message.text, called),
    blocks: [...around.slice(0, below), ...written(), ...around.slice(below)],
  };
}

/** News for the thread of a message: two lines per item, and what a person said. */
export function slackReply(items: MessageItem[], { mentions }: SlackLayout = {}): SlackPayload {
  const called = mentionsIn(items, mentions);
  const shown = items.slice(0, SHOWN).map((item) => {
    const said = item.facts.filter(({ isNews }) => isNews).map(({ text }) => within(OURS.fact, text));
    const lines = [within(OURS.summary, item.summary), ...said].join('\n');
    return section(`${glyphOf(item)} *${within(OURS.headline, item.headline)}*\n${lines}`);
  });
  const left = items.length - shown.length;
  return {
    text: textOf(messageOf(items).text, called),
    blocks: [
      ...(called === '' ? [] : [section(called)]),
      ...shown,
      ...(left > 0 ? [section(`+${left} more`)] : []),
    ],
  };
}

/** What notifications show. Mentions are in it, as phones ring for those. */
function textOf(text: string, called: string): string {
  return `${called}${called && ' '}${within(OURS.fallback, text)}`;
}

/** The payload without images: Slack rejects the whole message if it cannot fetch one. */
export function withoutPictures<Payload extends { blocks: SlackBlock[] }>(payload: Payload): Payload {
  return { ...payload, blocks: payload.blocks.filter(({ type }) => type !== 'image') };
}

function headerOf({ title, items, severity }: Message, zone: string | null): Block<'header'> {
  const isOver = items.length > 0 && items.every(({ transition }) => isEnd(transition));
  const [first] = items;
  const glyph = items.length === 1 && first ? glyphOf(first) : isOver ? SIGNS.over : GLYPHS[severity];
  const plain = zone === null ? title : withoutZone(title, zone);
  return { type: 'header', text: plainText(SLACK_LIMITS.header, `${glyph} ${plain}`) };
}

function glyphOf({ transition, severity }: MessageItem): string {
  const sign = signOf(transition);
  return sign === 'severity' ? GLYPHS[severity] : SIGNS[sign];
}

/** A message with a single alert. */
function single(interactive: boolean, zone: string | null) {
  return (item: MessageItem, detail: Detail): SlackBlock[] => {
    const { headline, links } = item;
    // The header truncates long text.
    const isCut = `${glyphOf(item)} ${headline}`.length > SLACK_LIMITS.header;
    const title = isCut ? [section(`*${within(SLACK_LIMITS.sectionText - 10, headline)}*`)] : [];
    if (detail === 'headline') return [...title, footnoteOf(item, [], zone)];
    const shownLinks = detail === 'all' ? links : null;
    return [
      ...title,
      ...factsOf(item),
      ...pictureOf(shownLinks),
      footnoteOf(item, smallFactsOf(item), zone),
      ...(item.runbook ? [section(`*What to do:* ${runbookOf(item.runbook)}`)] : []),
      ...(shownLinks ? answersOf(shownLinks, interactive) : []),
    ];
  };
}

/** One alert of a digest: headline, one line of figures, and a link. */
function inDigest(item: MessageItem, detail: Detail, place: number): SlackBlock[] {
  const headline = `${glyphOf(item)} *${within(OURS.headline, item.headline)}*`;
  if (detail === 'headline') return [section(headline)];
  const open = detail === 'all' && item.links ? linkTo(item.links.open, 'Open', OURS.url) : undefined;
  const below = [within(OURS.summary, item.summary), ...(open ? [open] : [])].join('  ·  ');
  const picture = detail === 'all' && place < PICTURED ? pictureOf(item.links) : [];
  return [section(`${headline}\n${below}`), ...picture];
}

function factsOf({ facts }: MessageItem): Block<'section'>[] {
  const lines = facts
    .filter(({ isSmall }) => !isSmall)
    .map(({ label, text }) => `*${within(OURS.label, label)}:* ${within(OURS.fact, text)}`);
  const shown: string[] = [];
  for (const line of lines) {
    if ([...shown, line].join('\n').length > SLACK_LIMITS.sectionText - 30) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  const more = left > 0 ? [`+${left} more`] : [];
  return lines.length > 0 ? [section([...shown, ...more].join('\n'))] : [];
}

function smallFactsOf({ facts }: MessageItem): string[] {
  return facts
    .filter(({ isSmall }) => isSmall)
    .slice(0, SLACK_LIMITS.contextElements - 1)
    .map(({ label, text }) => `*${within(OURS.label, label)}:* ${within(OURS.smallFact, text)}`);
}

/** The small print: minor facts, severity, rule and app. */
function footnoteOf(item: MessageItem, facts: string[], zone: string | null): Block<'context'> {
  const { ruleId, app, severity, transition } = item;
  const source = isTransition(transition)
    ? [
        ...(isEnd(transition) ? [] : [WORDS[severity]]),
        ...(app !== null && ruleId.endsWith(`:${app}`) ? [] : [`rule ${within(100, ruleId)}`]),
        ...(app === null ? [] : [`app ${within(100, app)}`]),
      ]
    : [NO_ALERT[transition]];
  const line = [...source, ...timesIn(zone)].join('  ·  ');
  return { type: 'context', elements: [...facts, line].map(mrkdwn) };
}

function timesIn(zone: string | null): string[] {
  return zone === null ? [] : [`times in ${zone}`];
}

function pictureOf(links: ItemLinks | null): Block<'image'>[] {
  const picture = links?.picture;
  if (!picture || picture.url.length > SLACK_LIMITS.url || picture.alt === '') return [];
  const { text } = plainText(SLACK_LIMITS.altText, picture.alt);
  return [{ type: 'image', image_url: picture.url, alt_text: text }];
}

function runbookOf(runbook: string): string {
  return linkTo(runbook, 'the runbook', OURS.runbook) ?? within(OURS.runbook, runbook);
}

/** The number of omitted items, a link to all, and the time zone. */
function moreOf({ items, overviewUrl }: Message, left: number, zone: string | null): Block<'context'>[] {
  if (items.length < 2) return [];
  const all = overviewUrl === null ? undefined : linkTo(overviewUrl, 'All open alerts', OURS.overviewUrl);
  const parts = [...(left > 0 ? [`+${left} more`] : []), ...(all ? [all] : []), ...timesIn(zone)];
  return parts.length > 0 ? [{ type: 'context', elements: [mrkdwn(parts.join('  ·  '))] }] : [];
}
