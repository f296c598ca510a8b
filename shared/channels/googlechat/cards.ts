import type { Message, MessageItem } from '../../messages/message.ts';
import {
  buttonsOf,
  type ChatItem,
  type ChatLayout,
  COLORS,
  type Link,
  moreOf,
  mostThatFits,
} from '../chat-layout.ts';
import { escapedWithin, oneLine } from '../outgoing-text.ts';

/**
 * A message has at most 32,000 bytes: https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create.
 * A card shows 100 widgets, and leaves out the others: https://developers.google.com/workspace/chat/api/reference/rest/v1/cards
 */
const GOOGLE_LIMITS = { bytes: 32_000, widgets: 100 } as const;

const OURS = {
  title: 300,
  headline: 350,
  summary: 500,
  label: 80,
  fact: 700,
  runbook: 1000,
  alt: 500,
} as const;

type Widget =
  | { textParagraph: { text: string } }
  | { decoratedText: { topLabel: string; text: string; wrapText: true } }
  | { image: { imageUrl: string; altText: string } }
  | { buttonList: { buttons: { text: string; onClick: { openLink: { url: string } } }[] } };

/**
 * The message as one card. Programs that show no cards, such as notifications, get its title. If it is too long, facts are
 * left out from the end, or the links of later items.
 * https://developers.google.com/workspace/chat/format-messages#card-formatting
 */
export function googleChatMessage(message: Message) {
  return mostThatFits(message, messageOf, (written) => {
    const widgets = written.cardsV2.flatMap(({ card }) =>
      card.sections.flatMap((section) => section.widgets),
    );
    const isWithin = Buffer.byteLength(JSON.stringify(written)) <= GOOGLE_LIMITS.bytes;
    return isWithin && widgets.length <= GOOGLE_LIMITS.widgets;
  });
}

function messageOf(layout: ChatLayout) {
  const { single, items } = layout;
  const title = oneLine(OURS.title, layout.title);
  const more = moreOf(layout, link).join(' · ');
  const sections = single
    ? [{ widgets: alone(single) }]
    : [
        ...items.map((item) => ({ widgets: inDigest(item) })),
        ...(more === '' ? [] : [{ widgets: [small(more)] }]),
      ];
  return {
    fallbackText: title,
    cardsV2: [{ cardId: 'alerts', card: { header: { title }, sections } }],
  };
}

/** The alert of a message about one alert. */
function alone(layout: ChatItem): Widget[] {
  const { headline, look, facts, smallFacts, moreFacts, runbook, source } = layout;
  const buttons = buttonsOf(layout);
  return [
    // The header has one or two lines of its title.
    paragraph(bold(headline, COLORS[look])),
    ...facts.map(factWidget),
    ...pictureOf(layout),
    ...smallFacts.map(factWidget),
    ...moreFacts.map(small),
    ...(runbook === null
      ? []
      : [
          paragraph(
            `<b>What to do:</b> ${typeof runbook === 'string' ? plain(OURS.runbook, runbook) : link(runbook)}`,
          ),
        ]),
    small(plain(OURS.headline, source.join(' · '))),
    ...(buttons.length > 0
      ? [
          {
            buttonList: {
              buttons: buttons.map(({ label, url }) => ({
                text: oneLine(OURS.label, label),
                onClick: { openLink: { url } },
              })),
            },
          },
        ]
      : []),
  ];
}

/** One alert of a digest: headline, one line of figures, and a link. */
function inDigest(layout: ChatItem): Widget[] {
  const { headline, look, summary, open } = layout;
  const below = [...(summary === null ? [] : [plain(OURS.summary, summary)]), ...(open ? [link(open)] : [])];
  const text = [bold(headline, COLORS[look]), ...(below.length > 0 ? [below.join(' · ')] : [])];
  return [paragraph(text.join('<br>')), ...pictureOf(layout)];
}

function paragraph(text: string): Widget {
  return { textParagraph: { text } };
}

function small(text: string): Widget {
  return paragraph(`<font color="#6b7280">${text}</font>`);
}

function bold(text: string, color: string): string {
  return `<b><font color="#${color}">${plain(OURS.headline, text)}</font></b>`;
}

function factWidget({ label, text }: MessageItem['facts'][number]): Widget {
  const topLabel = oneLine(OURS.label, label);
  return { decoratedText: { topLabel, text: plain(OURS.fact, text), wrapText: true } };
}

function pictureOf({ picture }: ChatItem): Widget[] {
  // Google fetches images over https only.
  if (!picture?.url.startsWith('https:')) return [];
  return [{ image: { imageUrl: picture.url, altText: oneLine(OURS.alt, picture.alt) } }];
}

/** `text` as one line of at most `limit` characters: cards read a few elements of HTML. */
function plain(limit: number, text: string): string {
  return escapedWithin(limit, escaped(oneLine(limit, text)));
}

function link({ label, url }: Link): string {
  return `<a href="${escaped(url)}">${plain(OURS.label, label)}</a>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
