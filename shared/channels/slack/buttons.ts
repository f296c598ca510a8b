import { ANSWERS } from '../../alerts/alert.ts';
import { type ChatItem, linksOf, MORE, QUICK } from '../chat-layout.ts';
import { type Block, link, plainText, SLACK_LIMITS, type SlackBlock, section } from './block.ts';

/**
 * The answers as buttons and a menu if a Slack app handles them (`interactive`). Otherwise as links: Slack shows a
 * warning beside a button whose app takes no presses, even if the button only opens a URL.
 */
export function answersOf(
  { open, answers }: Pick<ChatItem, 'open' | 'answers'>,
  interactive: boolean,
): SlackBlock[] {
  if (interactive) return actionsOf({ open, answers });
  const links = linksOf({ open, answers });
  return links.length > 0 ? [section(links.map(link).join('  ·  '))] : [];
}

type Action = Block<'actions'>['elements'][number];

function actionsOf({ open, answers }: Pick<ChatItem, 'open' | 'answers'>): SlackBlock[] {
  const quick = answers.filter(({ answer }) => QUICK.includes(answer)).flatMap(buttonOf);
  const text = plainText(SLACK_LIMITS.buttonText, 'Open');
  const elements: Action[] = [
    ...quick,
    ...(open ? [{ type: 'button' as const, text, action_id: 'open', url: open.url }] : []),
    // The value of an option is too short for a token, so the menu needs a button with one beside it.
    ...(quick.length > 0 ? menuOf(answers.filter(({ answer }) => !QUICK.includes(answer))) : []),
  ];
  return elements.length > 0 ? [{ type: 'actions', elements }] : [];
}

/** A button carries the name of its answer and the token that authorizes it. */
function buttonOf({ answer, label, url }: ChatItem['answers'][number]): Action[] {
  const value = tokenOf(url);
  if (value === '' || value.length > SLACK_LIMITS.buttonValue) return [];
  const text = plainText(SLACK_LIMITS.buttonText, label);
  const style = answer === 'acknowledge' ? { style: 'primary' as const } : {};
  return [{ type: 'button', text, action_id: answer, value, ...style }];
}

/** An option carries the name of its answer. The token of a button in the same block authorizes it. */
function menuOf(answers: ChatItem['answers']): Action[] {
  if (answers.length === 0) return [];
  const { optionText, confirmTitle, confirmText, confirmButton } = SLACK_LIMITS;
  const options = answers.map(({ answer, label }) => ({ text: plainText(optionText, label), value: answer }));
  // Slack asks the same question for all options.
  const confirm = {
    title: plainText(confirmTitle, 'Give this answer?'),
    text: plainText(confirmText, 'It may end the alert, or mute it until it recovers.'),
    confirm: plainText(confirmButton, 'Yes'),
    deny: plainText(confirmButton, 'Cancel'),
  };
  return [
    {
      ...{ type: 'static_select', action_id: 'more', options },
      placeholder: plainText(SLACK_LIMITS.placeholder, MORE),
      ...(answers.some(({ answer }) => ANSWERS[answer].asksAgain) && { confirm }),
    },
  ];
}

/** The token: the last part of an answer's URL. */
function tokenOf(address: string): string {
  return URL.canParse(address) ? (new URL(address).pathname.split('/').at(-1) ?? '') : '';
}
