import { type ItemLinks, type Message, type MessageItem, SHOWN } from '../../messages/message.ts';
import { type Extent, mostThatFits, PICTURED } from '../extent.ts';
import { type Look, lookOf, lookOfMessage, signed, sourceOf } from '../item-signs.ts';
import { oneLine } from '../outgoing-text.ts';
import { webAddress } from '../web-address.ts';
import { linkTo, plain } from './text.ts';

/**
 * Teams accepts 28 KB per message, with the envelope that the workflow adds:
 * https://learn.microsoft.com/microsoftteams/limits-specifications-teams
 */
const OURS = {
  bytes: 20_000,
  title: 300,
  headline: 200,
  summary: 500,
  label: 80,
  fact: 700,
  runbook: 1000,
  source: 300,
  altText: 500,
  url: 1000,
} as const;

/** Buttons per row; Teams moves more into a menu. */
const ROW = 6;

const COLORS: Record<Look, 'Attention' | 'Warning' | 'Accent' | 'Good' | 'Default'> = {
  critical: 'Attention',
  warning: 'Warning',
  info: 'Accent',
  over: 'Good',
  taken: 'Default',
  snoozed: 'Default',
  test: 'Default',
  digest: 'Default',
};

type TextStyle = Partial<Record<'size' | 'weight' | 'color' | 'spacing', string>> & { isSubtle?: true };

/**
 * The message as an Adaptive Card, in the envelope that a workflow of Teams expects. Version 1.4 is the newest that all
 * programs of Teams show. If it is too long, facts are left out from the end, or the links of later items.
 */
export function teamsMessage(message: Message) {
  return mostThatFits(
    message,
    (extent) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            msteams: { width: 'Full' },
            body: bodyOf(message, extent),
          },
        },
      ],
    }),
    (written) => Buffer.byteLength(JSON.stringify(written)) <= OURS.bytes,
  );
}

function bodyOf(message: Message, extent: Extent) {
  const look = lookOfMessage(message);
  const title = textBlock(plain(OURS.title, signed(look, message.title)), {
    ...{ size: 'Large', weight: 'Bolder', color: COLORS[look] },
  });
  const [only, ...others] = message.items;
  if (only && others.length === 0) return [title, ...single(only, extent)];
  const shown = message.items.slice(0, SHOWN);
  return [
    title,
    ...shown.flatMap((item, place) => inDigest(item, place, extent)),
    ...moreOf(message, message.items.length - shown.length),
  ];
}

/** A message with a single alert. */
function single(item: MessageItem, { facts: count, linked }: Extent) {
  const { facts, runbook, links } = item;
  const shown = facts.slice(0, count);
  const left = facts.length - shown.length;
  const more = left > 0 ? [`+${left} more`] : [];
  const small = shown.flatMap((fact) =>
    fact.isSmall ? [`${plain(OURS.label, fact.label)}: ${plain(OURS.fact, fact.text)}`] : [],
  );
  return [
    ...factSet(shown.filter(({ isSmall }) => !isSmall)),
    ...pictureOf(linked > 0 ? links : null),
    ...[...small, ...more, plain(OURS.source, sourceOf(item))].map(smallPrint),
    ...(runbook === null ? [] : [textBlock(`**What to do:** ${runbookOf(runbook)}`)]),
    ...(linked > 0 ? answersOf(links) : []),
  ];
}

/** One alert of a digest: headline, one line of figures, and a link. */
function inDigest(item: MessageItem, place: number, { linked, summarized }: Extent) {
  const { headline, summary, links } = item;
  const open = place < linked ? webAddress(links?.open, OURS.url) : undefined;
  const below = [
    ...(place < summarized ? [plain(OURS.summary, summary)] : []),
    ...(open ? [linkTo(open, 'Open')] : []),
  ];
  return [
    textBlock(plain(OURS.headline, signed(lookOf(item), headline)), { weight: 'Bolder', spacing: 'Medium' }),
    ...(below.length > 0 ? [textBlock(below.join(' · '), { spacing: 'None' })] : []),
    ...(place < Math.min(linked, PICTURED) ? pictureOf(links) : []),
  ];
}

function textBlock(text: string, style: TextStyle = {}) {
  return { type: 'TextBlock', text, wrap: true, ...style };
}

function smallPrint(text: string) {
  return textBlock(text, { size: 'Small', isSubtle: true, spacing: 'None' });
}

function factSet(facts: MessageItem['facts']) {
  if (facts.length === 0) return [];
  const shown = facts.map(({ label, text }) => ({
    title: plain(OURS.label, label),
    value: plain(OURS.fact, text),
  }));
  return [{ type: 'FactSet', facts: shown }];
}

function pictureOf(links: ItemLinks | null) {
  const picture = links?.picture;
  const url = webAddress(picture?.url, OURS.url);
  // Teams loads images over https only.
  if (!picture || !url?.startsWith('https:')) return [];
  return [{ type: 'Image', url, altText: oneLine(OURS.altText, picture.alt), size: 'Stretch' }];
}

function runbookOf(runbook: string): string {
  const address = webAddress(runbook, OURS.url);
  return address ? linkTo(address, 'the runbook') : plain(OURS.runbook, runbook);
}

/** Buttons that open the page: cards of a workflow cannot answer by themselves. */
function answersOf(links: ItemLinks | null) {
  if (!links) return [];
  const actions = [{ label: 'Open', url: links.open }, ...links.answers].flatMap(({ label, url: text }) => {
    const url = webAddress(text, OURS.url);
    return url ? [{ type: 'Action.OpenUrl', title: oneLine(OURS.label, label), url }] : [];
  });
  const rows = Array.from({ length: Math.ceil(actions.length / ROW) }, (_, i) =>
    actions.slice(i * ROW, (i + 1) * ROW),
  );
  return rows.map((row) => ({ type: 'ActionSet', actions: row }));
}

/** The number of omitted items, and a link to all. */
function moreOf({ overviewUrl }: Message, left: number) {
  const all = webAddress(overviewUrl, OURS.url);
  const parts = [...(left > 0 ? [`+${left} more`] : []), ...(all ? [linkTo(all, 'All open alerts')] : [])];
  return parts.length > 0 ? [smallPrint(parts.join(' · '))] : [];
}
