import { isTransition } from '../alerts/transitions.ts';
import type { Message, MessageItem } from '../messages/message.ts';
import { legible, oneLine } from './outgoing-text.ts';

const OURS = { headline: 1500, label: 80, fact: 500, facts: 20 } as const;

/** The message as plain text: up to `limit` alerts, then links. `answers`: with the links to answer each alert. */
export function plainText(message: Message, { limit, answers }: { limit: number; answers: boolean }): string {
  const { text, items, overviewUrl } = message;
  const left = items.length - limit;
  return [
    legible(text),
    ...items.slice(0, limit).map((item) => itemText(item, answers)),
    ...(left > 0 ? [`+${left} more`] : []),
    ...(overviewUrl ? [`All open alerts: ${overviewUrl}`] : []),
  ].join('\n\n');
}

function itemText(item: MessageItem, answers: boolean): string {
  const { headline, facts, runbook, links, ruleId, segment, transition } = item;
  return [
    oneLine(OURS.headline, headline),
    ...facts
      .slice(0, OURS.facts)
      .map(({ label, text }) => `${oneLine(OURS.label, label)}: ${oneLine(OURS.fact, text)}`),
    ...(runbook ? [`What to do: ${oneLine(OURS.fact, runbook)}`] : []),
    ...(links ? [`Open: ${links.open}`] : []),
    ...(answers && links
      ? links.answers.map(({ label, url }) => `${oneLine(OURS.label, label)}: ${url}`)
      : []),
    ...(isTransition(transition)
      ? [`Rule: ${ruleId}${segment === null ? '' : `, ${oneLine(OURS.fact, segment)}`}`]
      : []),
  ].join('\n');
}
