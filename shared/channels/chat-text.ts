import type { Message } from '../messages/message.ts';
import { escapedHtml } from '../text/escaped.ts';
import {
  type ChatItem,
  type ChatLayout,
  COLORS,
  type Link,
  linksOf,
  moreOf,
  mostThatFits,
} from './chat-layout.ts';
import { escapedWithin, oneLine } from './outgoing-text.ts';

const OURS = { headline: 350, summary: 500, label: 80, fact: 700, runbook: 1000, source: 300 } as const;

/** How a chat writes text. */
export interface Notation {
  /** A line that the chat shows as it is. */
  escaped(line: string): string;
  bold(text: string): string;
  link(label: string, url: string): string;
}

export interface ChatText {
  title: string;
  /** The title without any notation, for notifications. */
  fallback: string;
  alerts: AlertText[];
  /** The number of alerts that are not shown, and a link to all; `''` for a single alert. */
  more: string;
}

interface AlertText {
  /** As hexadecimal digits. */
  color: string;
  /** The headline without any notation. */
  fallback: string;
  lines: string[];
  picture: ChatItem['picture'];
}

export const PLAIN: Notation = {
  escaped: (line) => line,
  bold: (text) => text,
  link: (label, url) => `${label}: ${url}`,
};

export function markdown(escaped: Notation['escaped']): Notation {
  return {
    escaped,
    bold: (text) => `**${text}**`,
    link: (label, url) => `[${label}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
  };
}

/** HTML. Cards of Google Chat support only a few of its elements. */
export const HTML: Notation = {
  escaped: escapedHtml,
  bold: (text) => `<b>${text}</b>`,
  link: (label, url) => `<a href="${escapedHtml(url)}">${label}</a>`,
};

/** The message as `wrap` forms it: as much as fits. */
export function chatMessage<T>(
  notation: Notation,
  wrap: (text: ChatText) => T,
  fits: (written: T) => boolean,
): (message: Message) => T {
  return (message) => mostThatFits(message, (layout) => wrap(textOf(layout, notation)), fits);
}

function textOf(layout: ChatLayout, { escaped, bold, link }: Notation): ChatText {
  const plain = (limit: number, text: string) => escapedWithin(limit, escaped(oneLine(limit, text)));
  const linkTo = ({ label, url }: Link) => link(plain(OURS.label, label), url);
  const joined = (parts: string[]) => (parts.length > 0 ? [parts.join(' · ')] : []);
  const alone = (item: ChatItem) => {
    const { runbook } = item;
    const whatToDo = typeof runbook === 'string' ? plain(OURS.runbook, runbook) : runbook && linkTo(runbook);
    return [
      ...[...item.facts, ...item.smallFacts].map(
        ({ label, text }) => `${bold(`${plain(OURS.label, label)}:`)} ${plain(OURS.fact, text)}`,
      ),
      ...item.moreFacts,
      ...(whatToDo === null ? [] : [`${bold('What to do:')} ${whatToDo}`]),
      plain(OURS.source, item.source.join(' · ')),
      ...joined(linksOf(item).map(linkTo)),
    ];
  };
  const inDigest = ({ headline, summary, open }: ChatItem) => [
    bold(plain(OURS.headline, headline)),
    ...joined([...(summary === null ? [] : [plain(OURS.summary, summary)]), ...(open ? [linkTo(open)] : [])]),
  ];
  return {
    title: plain(OURS.headline, layout.title),
    fallback: oneLine(OURS.headline, layout.title),
    alerts: layout.items.map((item) => ({
      color: COLORS[item.look],
      fallback: oneLine(OURS.headline, item.headline),
      lines: layout.single ? alone(item) : inDigest(item),
      picture: item.picture,
    })),
    more: layout.single ? '' : moreOf(layout, linkTo).join(' · '),
  };
}
