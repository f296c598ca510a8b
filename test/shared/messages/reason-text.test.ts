import { expect, test } from 'vitest';
import type { Reason } from '../../../shared/evaluation/reason.ts';
import { reasonText } from '../../../shared/messages/reason-text.ts';
import { REASON_OF } from '../../fixtures/every-code.ts';

const TEXT_OF: Record<Reason['code'], string> = {
  evaluation: '12 is too few',
  'not-confirmed': 'with late data, it would not have fired: 12 is too few',
  recovered: 'back to the level before Mon 2 Mar 2026, 01:00 (Europe/Berlin)',
  'segment-gone': 'the segment sends little or no data any more',
  'segment-unlisted': 'the segment is no longer among those that are queried',
  'above-zero': 'above 0 again; the level from before the outage is no longer known',
  'level-lasted': 'it has lasted for 14 days, so this level is the new baseline',
  flapping:
    'it started or stopped firing 4 times in 10 days; you will be notified after 5 days without a change, or when it fires for longer than at any time while it was flapping',
  'flapping-ended': 'it has been normal for 5 days',
  'fires-for-longer': 'it has now been firing for longer than at any time while it was flapping',
  'no-data': 'no data for 1 day, since Mon 2 Mar 2026, 01:00 (Europe/Berlin)',
  'data-back': 'data has arrived again',
  'rule-changed': 'the rule was changed while the alert was flapping; its state starts over',
  'rule-removed': 'the rule was removed',
  'app-stopped': 'no data from shop since before Mon 2 Mar 2026, 01:00 (Europe/Berlin)',
  'app-resumed': 'data from shop is back; the newest is from Mon 2 Mar 2026, 01:00 (Europe/Berlin)',
  'app-without-rules': 'shop has no rules left',
  'never-a-value': 'none of the 7 days evaluated since the rule was deployed has a value above 0',
  'never-a-segment': 'none of the 7 days evaluated since the rule was deployed has any device_country',
  'app-never-sent': 'no data from shop since the rule was deployed, nor in the 30 days before; check "app"',
  acknowledged: 'acknowledged by Anna: a release',
  snoozed: 'snoozed until Mon 2 Mar 2026, 01:00 (Europe/Berlin), by Anna: a release',
  'level-accepted': 'new level accepted by Anna',
  'marked-as-holiday': 'marked as a holiday by Anna: a release',
  'evaluated-again': 'the rule is evaluated again',
  'app-sent-nothing': 'the app has sent no data',
  'data-late':
    'the app has no data past Mon 2 Mar 2026, 01:00 (Europe/Berlin); the newest is from Mon 2 Mar 2026, 00:00 (Europe/Berlin)',
  'read-failed': 'no answer in 30 seconds',
  'calls-spent': 'no calls are left this hour',
  'out-of-time': 'the run ran out of time for queries; the next run continues where it stopped',
  'alert-unsaved': 'an alert of the rule cannot be saved: too large',
  'alert-unreadable': 'an alert of the rule cannot be read: not valid, and 2 more',
};

test.each(Object.entries(REASON_OF))('%s', (code, reason) => {
  const context = { zone: 'Europe/Berlin', window: 'day', verdict: '12 is too few' };
  expect(reason.code).toBe(code);
  expect(reasonText(reason, context)).toBe(TEXT_OF[reason.code]);
});
