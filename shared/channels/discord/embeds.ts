import type { Message } from '../../messages/message.ts';
import {
  buttonsOf,
  type ChatItem,
  type ChatLayout,
  COLORS,
  inRowsOf,
  moreOf,
  mostThatFits,
} from '../chat-layout.ts';
import { markdown } from '../markdown.ts';
import { oneLine } from '../outgoing-text.ts';

/**
 * Limits of Discord. It rejects the whole message for one character more. A digest has at most its ten embeds.
 * - message: https://docs.discord.com/developers/resources/webhook#execute-webhook
 * - embeds: https://docs.discord.com/developers/resources/message#embed-object-embed-limits
 * - buttons: https://docs.discord.com/developers/components/reference#button
 */
const DISCORD_LIMITS = {
  title: 256,
  fields: 25,
  /** Of the texts of all embeds together. */
  total: 6000,
  rows: 5,
  rowButtons: 5,
  buttonLabel: 80,
  buttonUrl: 512,
} as const;

const OURS = { summary: 350, label: 80, fact: 700, footer: 300, short: 40 } as const;

/** No Markdown, mentions and links. */
const { plain, link, runbookOf } = markdown((line) => line.replaceAll(/[\\*_~`|[\]<>#]|:(?=\/\/)/g, '\\$&'));

interface Embed {
  title: string;
  url?: string;
  color: number;
  description?: string;
  fields?: { name: string; value: string; inline: boolean }[];
  image?: { url: string };
  footer?: { text: string };
}

/**
 * The message as embeds and buttons with links. It mentions nobody. If it is too long, facts are left out from the end,
 * or the links of later items.
 */
export function discordMessage(message: Message) {
  return mostThatFits(message, messageOf, ({ embeds }) => areWithin(embeds));
}

function messageOf(layout: ChatLayout) {
  const { single, items } = layout;
  return {
    ...(single ? {} : { content: contentOf(layout) }),
    embeds: single
      ? [{ ...alone(single), title: plain(DISCORD_LIMITS.title, layout.title) }]
      : items.map(inDigest),
    components: single ? buttonRows(single) : [],
    allowed_mentions: { parse: [] },
  };
}

function areWithin(embeds: Embed[]): boolean {
  const texts = embeds.flatMap(({ title, description = '', fields = [], footer }) => [
    ...[title, description, footer?.text ?? ''],
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  const isWithin = embeds.every(({ fields = [] }) => fields.length <= DISCORD_LIMITS.fields);
  return isWithin && texts.join('').length <= DISCORD_LIMITS.total;
}

/** The alert of a message about one alert. */
function alone(layout: ChatItem): Embed {
  const { facts, smallFacts, moreFacts, source } = layout;
  const whatToDo = runbookOf(layout);
  const fields = [
    ...[...facts, ...smallFacts].map(({ label, text }) => fieldOf(label, plain(OURS.fact, text))),
    ...moreFacts.map((text) => fieldOf('More', text)),
    ...(whatToDo === undefined ? [] : [fieldOf('What to do', whatToDo)]),
  ];
  return {
    ...headOf(layout),
    ...(fields.length > 0 ? { fields } : {}),
    ...pictureOf(layout),
    footer: { text: oneLine(OURS.footer, source.join(' · ')) },
  };
}

/** One alert of a digest: headline, which is a link, and one line of figures. */
function inDigest(layout: ChatItem): Embed {
  const { summary } = layout;
  return {
    ...headOf(layout),
    ...(summary === null ? {} : { description: plain(OURS.summary, summary) }),
    ...pictureOf(layout),
  };
}

function headOf({ headline, open, look }: ChatItem): Pick<Embed, 'title' | 'url' | 'color'> {
  const title = plain(DISCORD_LIMITS.title, headline);
  return { title, ...(open ? { url: open.url } : {}), color: Number.parseInt(COLORS[look], 16) };
}

/** Short values stand side by side. */
function fieldOf(label: string, value: string) {
  return { name: plain(OURS.label, label) || '-', value: value || '-', inline: value.length <= OURS.short };
}

function pictureOf({ picture }: ChatItem): Pick<Embed, 'image'> {
  return picture ? { image: { url: picture.url } } : {};
}

/** The title of a digest, the number of omitted items, and a link to all. */
function contentOf(layout: ChatLayout): string {
  const more = moreOf(layout, link).join(' · ');
  return [`**${plain(DISCORD_LIMITS.title, layout.title)}**`, ...(more === '' ? [] : [more])].join('\n');
}

/** Buttons that open the page: a webhook has no other buttons. */
function buttonRows(layout: ChatItem) {
  const { rows, rowButtons, buttonLabel, buttonUrl } = DISCORD_LIMITS;
  const buttons = buttonsOf(layout)
    .filter(({ url }) => url.length <= buttonUrl)
    .map(({ label, url }) => ({ type: 2, style: 5, label: oneLine(buttonLabel, label), url }));
  return inRowsOf(rowButtons, buttons)
    .slice(0, rows)
    .map((components) => ({ type: 1, components }));
}
