import { slackBlocks } from '../../shared/channels/slack/blocks.ts';
import type { Message } from '../../shared/messages/message.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { wrapped } from './wrapping.ts';

type Block = ReturnType<typeof slackBlocks>['blocks'][number];

/** A message as Slack shows it, in 80 columns. Small print is indented; pictures and buttons are in brackets. */
export function messageLines(message: Message): string[] {
  const { blocks } = slackBlocks(message);
  return blocks.flatMap((block, i) => [...(i > 0 ? [''] : []), ...linesOf(block)]);
}

function linesOf(block: Block): string[] {
  switch (block.type) {
    case 'header':
      return wrapped(printable(block.text.text));
    case 'section':
      return plain(block.text?.text ?? '')
        .split('\n')
        .flatMap((line) => wrapped(printable(line)));
    case 'context':
      return block.elements.flatMap((each) =>
        wrapped(`  ${'text' in each ? printable(plain(each.text ?? '')) : ''}`),
      );
    case 'image':
      return [`[picture: ${printable(block.alt_text)}]`];
    case 'actions':
      return [block.elements.map((each) => ('text' in each ? `[${each.text.text}]` : '')).join(' ')];
  }
}

/** Slack markup as plain text: no stars, named links, unescaped characters. */
function plain(text: string): string {
  return text
    .replaceAll(/<(https?:[^|>]+)\|([^>]+)>/g, '$2 ($1)')
    .replaceAll(/<(https?:[^|>]+)>/g, '$1')
    .replaceAll(/(?<!\S)\*([^*\n]+)\*(?!\S)/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
