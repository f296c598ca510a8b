import { ANSWERS, type Answer } from '../../alerting/alerts/alert.ts';
import { effectOf } from '../../alerting/messages/answer-text.ts';
import type { ItemLinks } from '../../alerting/messages/message.ts';
import { type Block, SLACK_LIMITS, type SlackBlock, section } from './block.ts';
import { linkTo, plainText } from './text.ts';

/** Buttons per row; Slack breaks longer rows anywhere. */
const ROW = 5;

/** Our limit for a link: a token has about 250 characters. */
const LONGEST_LINK = 1000;

/** The answers as links, or as buttons if a Slack app handles them (`interactive`). */
export function answersOf({ open, answers }: ItemLinks, interactive: boolean): SlackBlock[] {
  if (interactive) return buttonsOf({ open, answers });
  const links = [{ label: 'Open', url: open }, ...answers].flatMap(
    ({ label, url }) => linkTo(url, label, LONGEST_LINK) ?? [],
  );
  return links.length > 0 ? [section(joinedWithin(SLACK_LIMITS.sectionText, links))] : [];
}

/** A button carries the name of its answer and the token that authorizes it. */
function buttonsOf({ open, answers }: Pick<ItemLinks, 'open' | 'answers'>): SlackBlock[] {
  const buttons: Block<'actions'>['elements'] = answers.flatMap(({ answer, label, url }) => {
    const value = tokenOf(url);
    if (value === '' || value.length > SLACK_LIMITS.buttonValue) return [];
    const text = plainText(SLACK_LIMITS.buttonText, label);
    const style = answer === 'acknowledge' ? { style: 'primary' as const } : {};
    const confirm = ANSWERS[answer].asksAgain ? { confirm: question(answer, label) } : {};
    return [{ type: 'button' as const, text, action_id: answer, value, ...style, ...confirm }];
  });
  if (open.length <= SLACK_LIMITS.url)
    buttons.push({
      type: 'button',
      text: plainText(SLACK_LIMITS.buttonText, 'Open'),
      action_id: 'open',
      url: open,
    });
  const rows = Array.from({ length: Math.ceil(buttons.length / ROW) }, (_, i) =>
    buttons.slice(i * ROW, (i + 1) * ROW),
  );
  return rows.map((elements) => ({ type: 'actions', elements }));
}

/** The confirmation dialog: what the answer does. */
function question(answer: Answer, label: string) {
  const { confirmTitle, confirmText, confirmButton } = SLACK_LIMITS;
  return {
    title: plainText(confirmTitle, `${label}?`),
    text: plainText(confirmText, effectOf(answer, null, undefined)),
    confirm: plainText(confirmButton, label),
    deny: plainText(confirmButton, 'Cancel'),
  };
}

/** The token: the last part of an answer's URL. */
function tokenOf(address: string): string {
  return URL.canParse(address) ? (new URL(address).pathname.split('/').at(-1) ?? '') : '';
}

function joinedWithin(limit: number, links: string[]): string {
  const shown: string[] = [];
  for (const link of links) {
    if ([...shown, link].join('  ·  ').length > limit) break;
    shown.push(link);
  }
  return shown.join('  ·  ');
}
