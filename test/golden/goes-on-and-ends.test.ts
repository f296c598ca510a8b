import { describe } from 'vitest';
import { lifeOf, QUIET } from '../fixtures/life.ts';
import { golden } from './golden.ts';
import { fell, found, pendingFor, purchases, sales, TUESDAY_3_AM } from './situations.ts';

describe('the message of a firing alert', () => {
  const anna = { by: 'Anna', at: TUESDAY_3_AM + 11 * 60_000, reason: 'rolling the release back' };
  const untilAt = TUESDAY_3_AM + 12 * 3_600_000;
  const fired = {
    windowEndAt: fell.current.window.endAt,
    firstEndAt: fell.current.window.endAt,
    direction: 'down' as const,
  };
  const firing = { last: fell, fired: { ...fired, baseline: fell.baseline, gap: null } };
  golden('acknowledged', [
    pendingFor(purchases, 'acknowledged', null, {
      ...firing,
      acknowledged: anna,
      reason: { code: 'acknowledged', by: 'Anna', note: 'rolling the release back' },
    }),
  ]);
  golden('snoozed', [
    pendingFor(purchases, 'snoozed', null, {
      ...firing,
      snoozed: { ...anna, untilAt },
      reason: { code: 'snoozed', by: 'Anna', note: 'rolling the release back', untilAt },
    }),
  ]);
  const latest = found(purchases, { current: 610, baseline: 1000, at: TUESDAY_3_AM + 7 * 3_600_000 });
  const reminder = pendingFor(purchases, 'reminded', fell, {
    ...firing,
    last: { ...latest, baseline: { ...latest.baseline, window: fell.baseline.window } },
  });
  const due = { ...reminder.notification, dueAt: fell.current.window.endAt + 8 * 3_600_000 };
  golden('reminded', [{ ...reminder, notification: due }]);
  const escalated = pendingFor(purchases, 'fired', fell, firing);
  golden('escalated', [
    { ...escalated, notification: { ...escalated.notification, escalatedAfterMinutes: 30 } },
  ]);
  golden('still firing after flapping', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000, ...Array(13).fill(300)])
      .pending(),
  ]);
  golden('flapping', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000])
      .pending(),
  ]);
});

describe('the message of an alert that ends', () => {
  golden('recovered', [
    lifeOf(sales())
      .days([...QUIET, 300, 310, 990, 1010])
      .pending(),
  ]);
  golden('retracted', [
    lifeOf(sales())
      .days([...QUIET, 300])
      .again(21, 985)
      .pending(),
  ]);
  golden('rebaselined', [
    lifeOf(sales())
      .days([...QUIET, ...Array(16).fill(300)])
      .pending(),
  ]);
  golden('marked as expected', [
    pendingFor(purchases, 'excused', null, {
      last: fell,
      reason: { code: 'marked-as-holiday', by: 'Anna', note: 'company day off' },
    }),
  ]);
  golden('flapping ended', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000, 300, 1000, ...QUIET.slice(0, 12)])
      .pending(),
  ]);
  golden('rule changed', [
    lifeOf(sales())
      .days([...QUIET, 300])
      .deploy(sales({ fire: { change: { below: '-80%' } } }))
      .days([300])
      .pending(),
  ]);
});
