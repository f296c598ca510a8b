import type { Answer } from '../alerts/alert.ts';
import { excusedCalendar, excusedSpan } from '../alerts/excused-span.ts';
import type { Rule } from '../rules/rule.ts';
import { inWindowText, windowText } from './figure-text.ts';

/** What a link or a button says. */
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

/** What an answer does, for whoever is about to give it. */
export const EFFECTS: Record<Exclude<Answer, 'holiday'>, string> = {
  acknowledge:
    'Tells the channels that heard of it that you have it. Nobody is reminded of it any more; its end is told as ever.',
  'snooze-1h':
    'Nothing of it is told for an hour, but that you said so. It is judged as ever; if it still fires then, those who heard of it are reminded.',
  'snooze-1d':
    'Nothing of it is told for a day, but that you said so. It is judged as ever; if it still fires then, those who heard of it are reminded.',
  'snooze-1w':
    'Nothing of it is told for a week, but that you said so. It is judged as ever; if it still fires then, those who heard of it are reminded.',
  'snooze-until-recovered':
    'Nothing of it is told until it has recovered, but that you said so. It is judged as ever.',
  accept: 'Ends the alert. The level that it fired on is the usual one from now on.',
  incident:
    'Records that this is an incident. The alert stays open until it recovers; its windows never count as usual, and are not taken for a new level by themselves.',
};

/** The same, to what it is about: `firedWindowEndAt` is what the alert fired on. */
export function effectOf(answer: Answer, firedWindowEndAt: number | null, rule: Rule | undefined): string {
  if (answer !== 'holiday') return EFFECTS[answer];
  const when = firedWindowEndAt !== null && rule ? onExcusedText(firedWindowEndAt, rule) : 'on that day';
  return `Ends the alert. What happens ${when} was to be expected: it does not fire again on it, unless nothing comes in at all, and does not count as usual. What is wrong later fires anew.`;
}

/** "Mon 2 Mar 2026 (Europe/Berlin)". */
export function excusedText(firedWindowEndAt: number, rule: Rule): string {
  return windowText(excusedSpan(firedWindowEndAt, rule), excusedCalendar(rule));
}

/** The same with the word before it: "on Mon 2 Mar 2026 (Europe/Berlin)". */
function onExcusedText(firedWindowEndAt: number, rule: Rule): string {
  return inWindowText(excusedSpan(firedWindowEndAt, rule), excusedCalendar(rule));
}
