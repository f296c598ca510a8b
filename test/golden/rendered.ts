import { slackBlocks } from '../../shared/channels/slack/blocks.ts';
import type { Message } from '../../shared/messages/message.ts';

type Block = ReturnType<typeof slackBlocks>['blocks'][number];

/** A message as Slack shows it: the notification of a phone, a line, and the message in the channel. */
export function rendered(message: Message, options: { interactive?: boolean } = {}): string {
  const { text, blocks } = slackBlocks(message, options);
  return `${[shown(text), '-----', ...blocks.map(blockText)].join('\n')}\n`;
}

/** Context blocks are indented; pictures, links and buttons are in brackets. */
function blockText(block: Block): string {
  switch (block.type) {
    case 'header':
      return block.text.text;
    case 'section':
      return `\n${shown(block.text?.text ?? '')}`;
    case 'context':
      return `\n${block.elements.map((each) => `  ${shown('text' in each ? each.text : '')}`).join('\n')}`;
    case 'image':
      return `\n[picture: ${block.alt_text}]`;
    case 'actions':
      return `\n${block.elements.map(actionText).join(' ')}`;
  }
}

/** A menu shows its options in brackets. */
function actionText(action: Extract<Block, { type: 'actions' }>['elements'][number]): string {
  if (action.type !== 'static_select') return 'text' in action ? `[${action.text.text}]` : '';
  const options = action.options?.map(({ text }) => text.text).join(' | ');
  return `[${action.placeholder?.text} ▾ ${options}]`;
}

/** Renders Slack markup as text. */
function shown(text: string): string {
  return text
    .replaceAll(/<https?:[^|>]+\|([^>]+)>/g, '[$1]')
    .replaceAll(/(?<![^\s])\*([^*\n]+)\*(?![^\s])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
