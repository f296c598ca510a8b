import type { Message, MessageItem } from '../../messages/message.ts';
import {
  buttonsOf,
  type ChatItem,
  type ChatLayout,
  inRowsOf,
  type Look,
  moreOf,
  mostThatFits,
} from '../chat-layout.ts';
import { markdown } from '../markdown.ts';
import { oneLine } from '../outgoing-text.ts';

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
  source: 300,
  altText: 500,
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

/**
 * Cards read Markdown in all texts and facts.
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format
 */
const { plain, link, runbookOf } = markdown((line) =>
  line
    .replaceAll(/[\\`*_[\]<>~#|]/g, '\\$&')
    .replace(/^([-+]|\d+\.)(?= )/, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`),
);

type TextStyle = Partial<Record<'size' | 'weight' | 'color' | 'spacing', string>> & { isSubtle?: true };

/**
 * The message as an Adaptive Card, in the envelope that a workflow of Teams expects. Version 1.4 is the newest that all
 * programs of Teams show. If it is too long, facts are left out from the end, or the links of later items.
 */
export function teamsMessage(message: Message) {
  return mostThatFits(
    message,
    (layout) => ({
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
            body: bodyOf(layout),
          },
        },
      ],
    }),
    (written) => Buffer.byteLength(JSON.stringify(written)) <= OURS.bytes,
  );
}

function bodyOf(layout: ChatLayout) {
  const { look, title, single, items } = layout;
  const head = textBlock(plain(OURS.title, title), { size: 'Large', weight: 'Bolder', color: COLORS[look] });
  if (single) return [head, ...alone(single)];
  const more = moreOf(layout, link).join(' · ');
  return [head, ...items.flatMap(inDigest), ...(more === '' ? [] : [smallPrint(more)])];
}

/** The alert of a message about one alert. */
function alone(layout: ChatItem) {
  const { facts, smallFacts, moreFacts, source } = layout;
  const small = smallFacts.map(({ label, text }) => `${plain(OURS.label, label)}: ${plain(OURS.fact, text)}`);
  const whatToDo = runbookOf(layout);
  return [
    ...factSet(facts),
    ...pictureOf(layout),
    ...[...small, ...moreFacts, plain(OURS.source, source.join(' · '))].map(smallPrint),
    ...(whatToDo === undefined ? [] : [textBlock(`**What to do:** ${whatToDo}`)]),
    ...inRowsOf(ROW, buttonsOf(layout)).map((row) => ({
      type: 'ActionSet',
      // They open the page: cards of a workflow cannot answer by themselves.
      actions: row.map(({ label, url }) => ({
        ...{ type: 'Action.OpenUrl', title: oneLine(OURS.label, label), url },
      })),
    })),
  ];
}

/** One alert of a digest: headline, one line of figures, and a link. */
function inDigest(layout: ChatItem) {
  const { headline, summary, open } = layout;
  const below = [...(summary === null ? [] : [plain(OURS.summary, summary)]), ...(open ? [link(open)] : [])];
  return [
    textBlock(plain(OURS.headline, headline), { weight: 'Bolder', spacing: 'Medium' }),
    ...(below.length > 0 ? [textBlock(below.join(' · '), { spacing: 'None' })] : []),
    ...pictureOf(layout),
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

function pictureOf({ picture }: ChatItem) {
  // Teams loads images over https only.
  if (!picture?.url.startsWith('https:')) return [];
  return [{ type: 'Image', url: picture.url, altText: oneLine(OURS.altText, picture.alt), size: 'Stretch' }];
}
