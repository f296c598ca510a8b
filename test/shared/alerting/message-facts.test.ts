import { describe, expect, test } from 'vitest';
import type { Alert, Transition } from '../../../shared/alerting/alert.ts';
import { messageFor } from '../../../shared/alerting/message.ts';
import { daily, lifeOf, QUIET } from '../../fixtures/life.ts';
import { found, owedFor, shopRule } from '../../golden/situations.ts';

const purchases = shopRule();
const fell = found(purchases, { current: 590, baseline: 1000 });

function told(transition: Transition, overrides: Partial<Alert> & { reason?: string } = {}) {
  const [item] = messageFor([owedFor(purchases, transition, null, overrides)]).items;
  return Object.fromEntries((item?.facts ?? []).map(({ label, text }) => [label, text]));
}

describe('who has taken it', () => {
  const acknowledged = { by: 'Anna', at: fell.window.endAt, reason: 'rolling back' };
  test.each<Transition>(['fired', 'persists', 'reminded', 'acknowledged', 'flapping'])(
    'is told with %s',
    (transition) => {
      expect(told(transition, { acknowledged })['Taken by']).toMatch(/^Anna, .*: rolling back$/);
    },
  );

  test.each<Transition>(['no-data', 'failing', 'broken', 'stalled', 'healed', 'recovered'])(
    'says nothing of %s, which nobody took',
    (transition) => {
      const facts = told(transition, { acknowledged, reason: 'the service did not answer' });
      expect(facts).not.toHaveProperty('Taken by');
    },
  );
});

test('what comes and goes is calm again by the level of the day before, not by that of before it fired', () => {
  const life = lifeOf(daily({ recover_after: '1 of 1' }));
  const calmed = life.days([...QUIET, 300, 1000, 300, 1000, 300, 1000, ...QUIET.slice(0, 12)]).owed();
  expect(messageFor([calmed]).text).toMatch(/, 1,030 before\.$/);
});

test('a reminder counts from where it says that it began', () => {
  const reminder = owedFor(purchases, 'reminded', fell);
  const dueAt = fell.window.startAt + 5 * 3_600_000;
  const [item] = messageFor([{ ...reminder, debt: { ...reminder.debt, dueAt } }]).items;
  expect(item?.headline).toMatch(/still firing after 5 hours$/);
  expect(item?.facts).toContainEqual(
    expect.objectContaining({ label: 'Since', text: 'Tue 3 Mar 2026, 02:00 (Europe/Berlin)' }),
  );
});
