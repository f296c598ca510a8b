import type { Message } from '../../shared/alerting/messages/message.ts';

/** All that a message says, a line for each thing: what `contains` of a test is looked for in. */
export function messageText({ title, text, items }: Message): string {
  const lines = items.flatMap(({ headline, summary, facts, runbook }) => [
    headline,
    summary,
    ...facts.map((fact) => `${fact.label}: ${fact.text}`),
    ...(runbook === null ? [] : [runbook]),
  ]);
  return [...new Set([title, text, ...lines])].join('\n');
}
