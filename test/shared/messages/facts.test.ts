import { describe, expect, test } from 'vitest';
import { figures } from '../../../functions/respond/page/alert-parts.ts';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import { comparableOf } from '../../../shared/evaluation/evaluation.ts';
import type { Reason } from '../../../shared/evaluation/reason.ts';
import { messageFor } from '../../../shared/messages/message.ts';
import { lastClosedWindow, windowsBack } from '../../../shared/time/window.ts';
import { evaluationOf, ruleNamed, value } from '../../fixtures/builders.ts';
import { daily, lifeOf, QUIET } from '../../fixtures/life.ts';
import { found, pendingFor, shopRule } from '../../golden/situations.ts';

const purchases = shopRule();
const fell = found(purchases, { current: 590, baseline: 1000 });

function factsOf(transition: Transition, overrides: Partial<Alert> & { reason?: Reason } = {}) {
  const [item] = messageFor([pendingFor(purchases, transition, null, overrides)]).items;
  return Object.fromEntries((item?.facts ?? []).map(({ label, text }) => [label, text]));
}

describe('the person who acknowledged', () => {
  const acknowledged = { by: 'Anna', at: fell.current.window.endAt, reason: 'rolling back' };
  test.each<Transition>(['fired', 'persists', 'reminded', 'acknowledged', 'snoozed', 'flapping'])(
    'is named with %s',
    (transition) => {
      expect(factsOf(transition, { acknowledged })['Acknowledged by']).toMatch(/^Anna, .*: rolling back$/);
    },
  );

  test.each<Transition>(['no-data', 'failing', 'broken', 'stalled', 'healed', 'recovered'])(
    'is not named with %s',
    (transition) => {
      const facts = factsOf(transition, {
        acknowledged,
        reason: { code: 'read-failed', error: 'the service did not answer' },
      });
      expect(facts).not.toHaveProperty('Acknowledged by');
    },
  );
});

test('a calmed message compares with the day before, not with the level before it fired', () => {
  const life = lifeOf(daily({ recover_after: '1 of 1' }));
  const calmed = life.days([...QUIET, 300, 1000, 300, 1000, 300, 1000, ...QUIET.slice(0, 12)]).pending();
  expect(messageFor([calmed]).text).toMatch(/, 1,030 before\.$/);
});

test('a note is shown as it was typed', () => {
  const note = '2 windows of the shop are being cleaned';
  const reason = { code: 'marked-as-holiday', by: 'Anna', note } as const;
  expect(factsOf('excused', { last: fell, reason }).Why).toBe(`marked as a holiday by Anna: ${note}`);
});

test('the duration in a reminder starts at its "Since" time', () => {
  const reminder = pendingFor(purchases, 'reminded', fell);
  const dueAt = fell.current.window.startAt + 5 * 3_600_000;
  const [item] = messageFor([{ ...reminder, notification: { ...reminder.notification, dueAt } }]).items;
  expect(item?.headline).toMatch(/still firing after 5 hours$/);
  expect(item?.facts).toContainEqual(
    expect.objectContaining({ label: 'Since', text: 'Tue 3 Mar 2026, 02:00 (Europe/Berlin)' }),
  );
});

/** The message for the last window before `endAt` in Berlin, compared per hour with the one `back` before it. */
function unequal(window: 'day' | 'week' | 'month', endAt: number, back: number) {
  const rule = ruleNamed('sales', { title: 'Sales', zone: 'Europe/Berlin', window, every: 'day at 07:00' });
  const calendar = { grain: window, zone: 'Europe/Berlin' };
  const last = lastClosedWindow(endAt, calendar);
  const before = evaluationOf(0, {
    current: { ...value(500), window: last },
    baseline: { ...value(1000), window: windowsBack(last, back, calendar) },
  });
  const difference = 500 - (comparableOf(before) ?? 0);
  const evaluation = { ...before, difference, change: difference / (500 - difference) };
  const [item] = messageFor([pendingFor(rule, 'fired', evaluation)]).items;
  const facts = Object.fromEntries((item?.facts ?? []).map(({ label, text }) => [label, text]));
  return { item, facts, page: `${figures(evaluation, rule)}` };
}

describe('windows of different lengths', () => {
  test.each([
    ['day', Date.UTC(2026, 9, 25, 23), 7, 'in 24 hours, which is 1,042 scaled to 25 hours', '1,042', '-52%'],
    ['day', Date.UTC(2026, 2, 29, 22), 7, 'in 24 hours, which is 958 scaled to 23 hours', '958', '-47.8%'],
    [
      'week',
      Date.UTC(2026, 9, 25, 23),
      1,
      'in 168 hours, which is 1,006 scaled to 169 hours',
      '1,006',
      '-50.3%',
    ],
    [
      'month',
      Date.UTC(2026, 4, 31, 22),
      1,
      'in 30 days, which is 1,033 scaled to 31 days',
      '1,033',
      '-51.6%',
    ],
  ] as const)('a %s: the figures in the message add up', (grain, endAt, back, said, baseline, change) => {
    const { item, facts, page } = unequal(grain, endAt, back);
    expect(facts.Before).toMatch(/^1,000 events /);
    expect(facts.Before).toContain(said);
    expect(facts.Difference).toContain(`(${change})`);
    expect(item?.summary).toMatch(/^500 events /);
    expect(item?.summary).toMatch(new RegExp(`, ${baseline} before$`));
    expect(page).toContain(`>${baseline}<`);
    expect(item?.figures?.baseline).toBeCloseTo(500 - (item?.figures?.difference ?? 0));
  });

  test('are not mentioned if the lengths are equal', () => {
    expect(unequal('day', Date.UTC(2026, 4, 31, 22), 7).facts.Before).not.toContain('scaled');
  });
});
