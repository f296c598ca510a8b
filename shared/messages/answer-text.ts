import type { Answer } from '../alerts/alert.ts';
import { excusedCalendar, excusedSpan, type Refusal } from '../alerts/answers.ts';
import type { Rule } from '../rules/rule.ts';
import { inWindowText, momentText, windowText } from './time-text.ts';

export const LABELS: Record<Answer, string> = {
  acknowledge: 'Acknowledge',
  'snooze-1h': 'Snooze 1 h',
  'snooze-1d': 'Snooze 1 day',
  'snooze-1w': 'Snooze 1 week',
  'snooze-until-recovered': 'Snooze until it recovers',
  accept: 'Accept the new level',
  holiday: 'Mark as a holiday',
  incident: 'Mark as an incident',
};

const snoozed = (time: string) =>
  `Notifies the channels that you snoozed the alert, then sends nothing ${time}. Evaluation continues. If the alert still fires then, a reminder is sent.`;

/** What an answer does, shown before the user confirms it. */
export const EFFECTS: Record<Exclude<Answer, 'holiday'>, string> = {
  acknowledge:
    'Notifies the channels of the alert that you acknowledged it. Reminders stop. A notification is still sent when it ends.',
  'snooze-1h': snoozed('for an hour'),
  'snooze-1d': snoozed('for a day'),
  'snooze-1w': snoozed('for a week'),
  'snooze-until-recovered':
    'Notifies the channels that you snoozed the alert, then sends nothing until it recovers. Evaluation continues.',
  accept: 'Ends the alert. The level that it fired on becomes the new baseline.',
  incident:
    'Records an incident. The alert stays open until it recovers. Its windows never count as normal, and they never become the new baseline automatically.',
};

/** The effect of `answer` on the alert that fired on the window ending at `firedWindowEndAt`. */
export function effectOf(answer: Answer, firedWindowEndAt: number | null, rule: Rule | undefined): string {
  if (answer !== 'holiday') return EFFECTS[answer];
  const when =
    firedWindowEndAt !== null && rule
      ? inWindowText(excusedSpan(firedWindowEndAt, rule), excusedCalendar(rule))
      : 'on that day';
  return `Ends the alert and marks the values ${when} as expected. They do not fire again, except for an outage, and do not count as normal. Later changes fire again.`;
}

/** "Mon 2 Mar 2026 (Europe/Berlin)". */
export function excusedText(firedWindowEndAt: number, rule: Rule): string {
  return windowText(excusedSpan(firedWindowEndAt, rule), excusedCalendar(rule));
}

/** Why an answer was refused, without a full stop. */
export function refusalText(refusal: Refusal, zone: string): string {
  switch (refusal.code) {
    case 'fires-again':
      return `That alert has ended. It has been firing again since ${momentText(refusal.sinceAt, zone)}`;
    case 'ended':
      return `The alert stopped firing ${momentText(refusal.sinceAt, zone)}`;
    case 'ended-by-answer':
      return `The alert has ended: ${refusal.by} answered "${LABELS[refusal.answer]}"`;
    case 'retracted':
      return 'The alert was retracted: with late data, the rule would not have fired';
    case 'rule-removed':
      return 'The rule was removed';
    case 'acknowledged-already':
      return `${refusal.isOwn ? 'You' : refusal.by} acknowledged it already, ${momentText(refusal.acknowledgedAt, zone)}`;
    case 'app-without-level':
      return 'An app that sends no data has no level to accept';
    case 'composite-without-level':
      return 'A composite rule has no level of its own to accept';
    case 'without-own-level':
      return 'The rule compares with its bounds or with other segments, so there is no level to accept; snooze the alert, or change the rule';
    case 'app-without-figures':
      return 'An app that sends no data has no values to leave out';
  }
}
