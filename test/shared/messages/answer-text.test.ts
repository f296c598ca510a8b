import { expect, test } from 'vitest';
import type { Refusal } from '../../../shared/alerts/answers.ts';
import { refusalText } from '../../../shared/messages/answer-text.ts';
import { REFUSAL_OF } from '../../fixtures/every-code.ts';

const TEXT_OF: Record<Refusal['code'], string> = {
  'fires-again': 'That alert has ended. It has been firing again since Mon 2 Mar 2026, 00:00 (UTC)',
  ended: 'The alert stopped firing Mon 2 Mar 2026, 00:00 (UTC)',
  'ended-by-answer': 'The alert has ended: Anna answered "Accept the new level"',
  retracted: 'The alert was retracted: with late data, the rule would not have fired',
  'rule-removed': 'The rule was removed',
  'acknowledged-already': 'Anna acknowledged it already, Mon 2 Mar 2026, 00:00 (UTC)',
  'app-without-level': 'An app that sends no data has no level to accept',
  'without-own-level':
    'The rule compares with its bounds or with other segments, so there is no level to accept; snooze the alert, or change the rule',
  'composite-without-level': 'A composite rule has no level of its own to accept',
  'app-without-figures': 'An app that sends no data has no values to leave out',
};

test.each(Object.values(REFUSAL_OF))('$code', (refusal) => {
  expect(refusalText(refusal, 'UTC')).toBe(TEXT_OF[refusal.code]);
});
