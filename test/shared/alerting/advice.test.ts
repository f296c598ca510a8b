import { expect, it } from 'vitest';
import { adviceFor } from '../../../shared/alerting/advice.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

it.each<[string, Record<string, unknown>, RegExp | undefined]>([
  ['a count of days against the day before', {}, /Mondays .* same_weekday/],
  ['a count of hours against the hour before', { every: 'hour' }, /each morning .* same_weekday/],
  ['a count against the same weekday', { compare: { to: 'same_weekday' } }, undefined],
  ['a count of weeks against the week before', { every: 'monday at 07:00' }, undefined],
  ['a mean against the day before', { metric: 'session_seconds', filters: [] }, undefined],
  ['a day that has not settled yet', { settle: '2 hours', compare: { to: 'same_weekday' } }, /a day late/],
  [
    'a fall without its minus sign',
    { compare: { to: 'same_weekday' }, fire: { change: { below: '30%' } } },
    /below \+30 %, which no change at all is; for a fall write "-30%"/,
  ],
  [
    'a rise with a minus sign',
    { compare: { to: 'same_weekday' }, fire: { change: { above: '-30%' } } },
    /above -30 %, which no change at all is/,
  ],
])('%s', (_name, overrides, says) => {
  const advice = adviceFor(ruleNamed('sales', overrides));
  if (says) expect(advice).toEqual([expect.stringMatching(says)]);
  else expect(advice).toEqual([]);
});
