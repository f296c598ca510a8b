import type { KnownBlock } from '@slack/types';
import { escapedMarkup } from '../../text/escaped.ts';
import type { Link } from '../chat-layout.ts';
import { within as cut, escapedWithin, legible } from '../outgoing-text.ts';

export type Block<Type extends string> = Extract<KnownBlock, { type: Type }>;
export type SlackBlock = Block<'header' | 'section' | 'context' | 'image' | 'actions'>;

/**
 * Limits of Slack. It rejects the whole message for one character more.
 * - blocks of a message: https://docs.slack.dev/reference/block-kit/blocks
 * - header text: https://docs.slack.dev/reference/block-kit/blocks/header-block
 * - section text: https://docs.slack.dev/reference/block-kit/blocks/section-block
 * - alternative text of an image: https://docs.slack.dev/reference/block-kit/blocks/image-block
 * - button: https://docs.slack.dev/reference/block-kit/block-elements/button-element
 * - option of a menu: https://docs.slack.dev/reference/block-kit/composition-objects/option-object
 * - confirmation dialog: https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
 */
export const SLACK_LIMITS = {
  blocks: 50,
  header: 150,
  sectionText: 3000,
  contextElements: 10,
  altText: 2000,
  buttonText: 75,
  buttonValue: 2000,
  optionText: 75,
  placeholder: 150,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
} as const;

export function section(text: string): Block<'section'> {
  return { type: 'section', text: mrkdwn(text) };
}

/** `verbatim`: Slack creates no links, channels or mentions from plain words. */
export function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true } as const;
}

/** Plain text, for headers and buttons, is not escaped. */
export function plainText(limit: number, text: string) {
  return { type: 'plain_text', text: cut(limit, legible(text)), emoji: false } as const;
}

export function link({ url, label }: Link): string {
  return `<${escapedMarkup(url.replaceAll('|', '%7C'))}|${escapedMarkup(label)}>`;
}

/**
 * `text`, escaped and at most `limit` characters long. A cut is marked, and never splits a character or its escape.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping: escaped text mentions nobody.
 */
export function within(limit: number, text: string): string {
  return escapedWithin(limit, escapedMarkup(legible(text)));
}
