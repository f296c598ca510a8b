import type { Refusal } from '../alerts/answers.ts';
import { LABELS } from './answer-text.ts';
import type { MomentText } from './gate-text.ts';

/** Why an answer was refused, without a full stop. */
export function refusalText(refusal: Refusal, at: MomentText): string {
  switch (refusal.code) {
    case 'fires-again':
      return `That alert has ended. It has been firing again since ${at(refusal.sinceAt)}`;
    case 'ended':
      return `The alert stopped firing ${at(refusal.sinceAt)}`;
    case 'ended-by-answer':
      return `The alert has ended: ${refusal.by} answered "${LABELS[refusal.answer]}"`;
    case 'retracted':
      return 'The alert was retracted: with late data, the rule would not have fired';
    case 'rule-removed':
      return 'The rule was removed';
    case 'acknowledged-already':
      return `${refusal.isOwn ? 'You' : refusal.by} acknowledged it already, ${at(refusal.acknowledgedAt)}`;
    case 'app-without-level':
      return 'An app that sends no data has no level to accept';
    case 'composite-without-level':
      return 'A composite rule has no level of its own to accept';
    case 'app-without-figures':
      return 'An app that sends no data has no values to leave out';
  }
}
