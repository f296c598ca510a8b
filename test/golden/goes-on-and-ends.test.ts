import { describe } from 'vitest';
import { lifeOf, QUIET } from '../fixtures/life.ts';
import { golden } from './golden.ts';
import { fell, owedFor, purchases, sales, TUESDAY_3_AM } from './situations.ts';

describe('while it fires', () => {
  const anna = { by: 'Anna', at: TUESDAY_3_AM + 11 * 60_000, reason: 'rolling the release back' };
  const untilAt = TUESDAY_3_AM + 12 * 3_600_000;
  const fired = { windowEndAt: fell.window.endAt, firstEndAt: fell.window.endAt, direction: 'down' as const };
  const standing = { ...fired, ...{ baselineWindow: fell.baselineWindow, origin: fell.origin } };
  const firing = { last: fell, fired: { ...standing, baseline: fell.baseline, gap: null } };
  golden('acknowledged', [
    owedFor(purchases, 'acknowledged', null, {
      ...firing,
      acknowledged: anna,
      reason: { code: 'acknowledged', by: 'Anna', note: 'rolling the release back' },
    }),
  ]);
  golden('snoozed', [
    owedFor(purchases, 'snoozed', null, {
      ...firing,
      snoozed: { ...anna, untilAt },
      reason: { code: 'snoozed', by: 'Anna', note: 'rolling the release back', untilAt },
    }),
  ]);
  const reminder = owedFor(purchases, 'reminded', fell, firing);
  const due = { ...reminder.debt, dueAt: fell.window.endAt + 8 * 3_600_000 };
  golden('reminded', [{ ...reminder, debt: due }]);
  golden('lasting', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000, ...Array(13).fill(300)])
      .owed(),
  ]);
  golden('coming and going', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000])
      .owed(),
  ]);
});

describe('an alert that ends', () => {
  golden('recovered', [
    lifeOf(sales())
      .days([...QUIET, 300, 310, 990, 1010])
      .owed(),
  ]);
  golden('retracted', [
    lifeOf(sales())
      .days([...QUIET, 300])
      .again(21, 985)
      .owed(),
  ]);
  golden('accepted', [
    lifeOf(sales())
      .days([...QUIET, ...Array(16).fill(300)])
      .owed(),
  ]);
  golden('excused', [
    owedFor(purchases, 'excused', null, {
      last: fell,
      reason: { code: 'marked-as-holiday', by: 'Anna', note: 'Women’s Day in Berlin' },
    }),
  ]);
  golden('calm again', [
    lifeOf(sales({ recover_after: '1 of 1' }))
      .days([...QUIET, 300, 1000, 300, 1000, 300, 1000, ...QUIET.slice(0, 12)])
      .owed(),
  ]);
  golden('rule changed', [
    lifeOf(sales())
      .days([...QUIET, 300])
      .deploy(sales({ fire: { change: { below: '-80%' } } }))
      .days([300])
      .owed(),
  ]);
});
