import type { KnownBlock } from '@slack/types';
import { mrkdwn } from './text.ts';

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
