import { type ItemLinks, type Message, type MessageItem, SHOWN } from '../../messages/message.ts';
import { type Extent, mostThatFits, PICTURED } from '../extent.ts';
import { type Look, lookOf, lookOfMessage, signed, sourceOf } from '../item-signs.ts';
import { oneLine } from '../outgoing-text.ts';
import { webAddress } from '../web-address.ts';
import { linkTo, plain } from './text.ts';

/**
 * Limits of Discord. It rejects the whole message for one character more.
 * - message: https://docs.discord.com/developers/resources/webhook#execute-webhook
 * - embeds: https://docs.discord.com/developers/resources/message#embed-object-embed-limits
 * - buttons: https://docs.discord.com/developers/components/reference#button
 */
const DISCORD_LIMITS = {
  content: 2000,
  embeds: 10,
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  /** Of the texts of all embeds together. */
  total: 6000,
  rows: 5,
  rowButtons: 5,
  buttonLabel: 80,
  buttonUrl: 512,
} as const;

const OURS = {
  summary: 350,
  label: 80,
  fact: 700,
  footer: 300,
  runbook: 1000,
  url: 1000,
  short: 40,
} as const;

const COLORS: Record<Look, number> = {
  critical: 0xc62828,
  warning: 0xe07b00,
  info: 0x1565c0,
  over: 0x2e7d32,
  taken: 0x6b7280,
  snoozed: 0x6b7280,
  test: 0x6b7280,
  digest: 0x6b7280,
};

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
  const [only, ...others] = message.items;
  const isOne = only !== undefined && others.length === 0;
  const shown = message.items.slice(0, Math.min(SHOWN, DISCORD_LIMITS.embeds));
  const embeds = mostThatFits(
    message,
    (extent) =>
      isOne ? [single(message, only, extent)] : shown.map((item, place) => inDigest(item, place, extent)),
    (written) => lengthOf(written) <= DISCORD_LIMITS.total,
  );
  return {
    ...(isOne ? {} : { content: contentOf(message, message.items.length - shown.length) }),
    embeds,
    components: isOne ? buttonsOf(only.links) : [],
    allowed_mentions: { parse: [] },
  };
}

/** The characters that count towards the total. */
function lengthOf(embeds: Embed[]): number {
  const texts = embeds.flatMap(({ title, description = '', fields = [], footer }) => [
    ...[title, description, footer?.text ?? ''],
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  return texts.join('').length;
}

/** A message with a single alert. */
function single(message: Message, item: MessageItem, { facts: count, linked }: Extent): Embed {
  const { facts, runbook, links } = item;
  const shown = facts.slice(0, Math.min(count, DISCORD_LIMITS.fields - 2));
  const left = facts.length - shown.length;
  const fields = [
    ...shown.map(({ label, text }) => fieldOf(label, plain(OURS.fact, text))),
    ...(left > 0 ? [fieldOf('More', `+${left} more`)] : []),
    ...(runbook === null ? [] : [fieldOf('What to do', runbookOf(runbook))]),
  ];
  return {
    ...headOf(message.title, lookOfMessage(message), links),
    ...(fields.length > 0 ? { fields } : {}),
    ...pictureOf(linked > 0 ? links : null),
    footer: { text: oneLine(OURS.footer, sourceOf(item)) },
  };
}

/** One alert of a digest: headline, which is a link, and one line of figures. */
function inDigest(item: MessageItem, place: number, { linked, summarized }: Extent): Embed {
  const { headline, summary, links } = item;
  return {
    ...headOf(headline, lookOf(item), place < linked ? links : null),
    ...(place < summarized ? { description: plain(OURS.summary, summary) } : {}),
    ...(place < Math.min(linked, PICTURED) ? pictureOf(links) : {}),
  };
}

function headOf(title: string, look: Look, links: ItemLinks | null): Pick<Embed, 'title' | 'url' | 'color'> {
  const url = webAddress(links?.open, OURS.url);
  return {
    title: plain(DISCORD_LIMITS.title, signed(look, title)),
    ...(url ? { url } : {}),
    color: COLORS[look],
  };
}

/** Short values stand side by side. */
function fieldOf(label: string, value: string) {
  return { name: plain(OURS.label, label) || '-', value: value || '-', inline: value.length <= OURS.short };
}

function pictureOf(links: ItemLinks | null): Pick<Embed, 'image'> {
  const url = webAddress(links?.picture?.url, OURS.url);
  return url ? { image: { url } } : {};
}

function runbookOf(runbook: string): string {
  const address = webAddress(runbook, OURS.runbook - 100);
  return address ? linkTo(address, 'the runbook') : plain(OURS.runbook, runbook);
}

/** The title of a digest, the number of omitted items, and a link to all. */
function contentOf({ title, overviewUrl }: Message, left: number): string {
  const all = webAddress(overviewUrl, OURS.url);
  const more = [...(left > 0 ? [`+${left} more`] : []), ...(all ? [linkTo(all, 'All open alerts')] : [])];
  const text = `**${plain(DISCORD_LIMITS.title, title)}**`;
  return more.length > 0 ? `${text}\n${more.join(' · ')}` : text;
}

/** Buttons that open the page: a webhook has no other buttons. */
function buttonsOf(links: ItemLinks | null) {
  if (!links) return [];
  const { rows, rowButtons, buttonLabel, buttonUrl } = DISCORD_LIMITS;
  const buttons = [{ label: 'Open', url: links.open }, ...links.answers].flatMap(({ label, url: text }) => {
    const url = webAddress(text, buttonUrl);
    return url ? [{ type: 2, style: 5, label: oneLine(buttonLabel, label), url }] : [];
  });
  return Array.from({ length: Math.min(rows, Math.ceil(buttons.length / rowButtons)) }, (_, i) => ({
    type: 1,
    components: buttons.slice(i * rowButtons, (i + 1) * rowButtons),
  }));
}
