import type { Message } from '../../shared/messages/message.ts';

/** The full text of a message, one line per part, for `contains`. */
export function messageText({ title, text, items }: Message): string {
  const lines = items.flatMap(({ headline, summary, facts, runbook }) => [
    headline,
    summary,
    ...facts.map((fact) => `${fact.label}: ${fact.text}`),
    ...(runbook === null ? [] : [runbook]),
  ]);
  return [...new Set([title, text, ...lines])].join('\n');
}
