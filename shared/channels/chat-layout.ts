import type { Answer } from '../alerts/alert.ts';
import {
  type ItemKind,
  isEnd,
  isTransition,
  type Sign,
  signOf,
  type Transition,
} from '../alerts/transitions.ts';
import { ALERTS_PER_MESSAGE, type ItemLinks, type Message, type MessageItem } from '../messages/message.ts';
import type { Severity } from '../rules/rule-schema.ts';
import { webAddress } from './outgoing-text.ts';

/** Items of a digest with a picture. */
export const PICTURED = 3;

/** Our limit for an address: a signed link has about 400 characters. */
const LONGEST_ADDRESS = 1000;

/** How a message looks: its severity, or that no action is needed. */
export type Look = Severity | Exclude<Sign, 'severity'>;

const GLYPHS: Record<Look, string> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  over: '✅',
  taken: '👀',
  snoozed: '💤',
  test: '🔔',
  digest: '📋',
};

/** As hexadecimal digits. */
export const COLORS: Record<Look, string> = {
  critical: 'c62828',
  warning: 'e07b00',
  info: '1565c0',
  over: '2e7d32',
  taken: '6b7280',
  snoozed: '6b7280',
  test: '6b7280',
  digest: '6b7280',
};

const WORDS: Record<Severity, string> = { critical: 'critical', warning: 'warning', info: 'information' };

const NO_ALERT: Record<Exclude<ItemKind, Transition>, string> = {
  test: 'test notification, not an alert',
  digest: 'digest, not an alert',
};

/** What people read of a message, in reading order. Each channel writes it in its own notation. */
export interface ChatLayout {
  look: Look;
  /** With the glyph of the look. */
  title: string;
  /** The only alert of the message, or those of a digest. */
  single: ChatItem | undefined;
  items: ChatItem[];
  /** Alerts that are not shown. */
  left: number;
  overview: Link | undefined;
}

export interface ChatItem {
  item: MessageItem;
  look: Look;
  /** With the glyph of the look. */
  headline: string;
  /** The figures on one line; `null` if there is no room. */
  summary: string | null;
  facts: MessageItem['facts'];
  smallFacts: MessageItem['facts'];
  /** "+3 more", about facts that are not shown; or nothing. */
  moreFacts: string[];
  picture: ItemLinks['picture'];
  /** The small print: severity, rule and app. */
  source: string[];
  /** A link, or a sentence. */
  runbook: Link | string | null;
  open: Link | undefined;
  /** Links to answer the alert. */
  answers: (Link & { answer: Answer })[];
}

export interface Link {
  label: string;
  url: string;
}

/** How much is written beside headlines: facts of a single alert; items of a digest with links, and with figures. */
type Extent = Record<'facts' | 'linked' | 'summarized', number>;

/** The most of `message` that fits: facts are left out from the end, and links of later items before their figures. */
export function mostThatFits<T>(
  message: Message,
  write: (layout: ChatLayout) => T,
  fits: (written: T) => boolean,
): T {
  for (let parts = allPartsOf(message); parts > 0; parts--) {
    const written = write(layoutOf(message, parts));
    if (fits(written)) return written;
  }
  return write(layoutOf(message, 0));
}

/** The parts besides headlines: the links and facts of a single alert, or the figures and links of each of several. */
function allPartsOf({ items }: Message): number {
  const [only, ...others] = items;
  return others.length === 0 ? 1 + (only?.facts.length ?? 0) : 2 * Math.min(items.length, ALERTS_PER_MESSAGE);
}

function layoutOf(message: Message, parts: number): ChatLayout {
  const { title, items, overviewUrl } = message;
  const look = lookOfMessage(message);
  const shown = items.slice(0, ALERTS_PER_MESSAGE);
  const isSingle = items.length === 1;
  const extent = isSingle
    ? { facts: Math.max(0, parts - 1), linked: parts, summarized: 0 }
    : { facts: 0, linked: parts - shown.length, summarized: parts };
  const layouts = shown.map((item, place) => itemLayout(item, place, extent));
  return {
    look,
    title: signed(look, title),
    single: isSingle ? layouts[0] : undefined,
    items: layouts,
    left: items.length - shown.length,
    overview: linkTo(overviewUrl, 'All open alerts'),
  };
}

function itemLayout(item: MessageItem, place: number, { facts, linked, summarized }: Extent): ChatItem {
  const shown = item.facts.slice(0, facts);
  const left = item.facts.length - shown.length;
  const links = place < linked ? item.links : null;
  const hasPicture = place < PICTURED && webAddress(links?.picture?.url, LONGEST_ADDRESS);
  const look = lookOf(item);
  return {
    item,
    look,
    headline: signed(look, item.headline),
    summary: place < summarized ? item.summary : null,
    facts: shown.filter(({ isSmall }) => !isSmall),
    smallFacts: shown.filter(({ isSmall }) => isSmall),
    moreFacts: left > 0 ? [`+${left} more`] : [],
    picture: hasPicture ? (links?.picture ?? null) : null,
    source: sourceOf(item),
    runbook: linkTo(item.runbook, 'the runbook') ?? item.runbook,
    open: linkTo(links?.open, 'Open'),
    answers: (links?.answers ?? []).flatMap(({ answer, label, url: address }) => {
      const link = linkTo(address, label);
      return link ? [{ ...link, answer }] : [];
    }),
  };
}

/** "+3 more" and the link to all open alerts, as `link` writes it. */
export function moreOf({ left, overview }: ChatLayout, link: (link: Link) => string): string[] {
  return [...(left > 0 ? [`+${left} more`] : []), ...(overview ? [link(overview)] : [])];
}

/** The answers with a link or button of their own; the others are on the page. */
export const QUICK: readonly Answer[] = ['acknowledge', 'snooze-1h'];

export const MORE = 'More answers';

/** The links of an alert: to open it, the quickest answers, and where the others are. */
export function linksOf({ open, answers }: Pick<ChatItem, 'open' | 'answers'>): Link[] {
  const quick = answers.filter(({ answer }) => QUICK.includes(answer));
  const hasMore = open && quick.length < answers.length;
  return [...(open ? [open] : []), ...quick, ...(hasMore ? [{ label: MORE, url: open.url }] : [])];
}

/** The message without its pictures: a service may refuse the whole message because of one. */
export function withoutPictures(message: Message): Message {
  return {
    ...message,
    items: message.items.map((item) => ({ ...item, links: item.links && { ...item.links, picture: null } })),
  };
}

export function hasPictures({ items }: Message): boolean {
  return items.some(({ links }) => links?.picture);
}

function linkTo(address: string | null | undefined, label: string): Link | undefined {
  const url = webAddress(address, LONGEST_ADDRESS);
  return url ? { label, url } : undefined;
}

export function lookOf({ transition, severity }: Pick<MessageItem, 'transition' | 'severity'>): Look {
  const sign = signOf(transition);
  return sign === 'severity' ? severity : sign;
}

/** The look of the whole message. A digest is over only if all its alerts are. */
function lookOfMessage({ items, severity }: Message): Look {
  const [only, ...others] = items;
  if (only && others.length === 0) return lookOf(only);
  return items.every(({ transition }) => isEnd(transition)) ? 'over' : severity;
}

/** `text` after the glyph of `look`. */
export function signed(look: Look, text: string): string {
  return `${GLYPHS[look]} ${text}`;
}

function sourceOf({ ruleId, app, severity, transition }: MessageItem): string[] {
  if (!isTransition(transition)) return [NO_ALERT[transition]];
  return [
    ...(isEnd(transition) ? [] : [WORDS[severity]]),
    ...(app !== null && ruleId.endsWith(`:${app}`) ? [] : [`rule ${ruleId}`]),
    ...(app === null ? [] : [`app ${app}`]),
  ];
}
