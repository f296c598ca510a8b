import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Alert, Health, Notification } from '../../../../shared/alerts/alert.ts';
import type { HealthReason } from '../../../../shared/evaluation/reason.ts';
import { queueNotification } from '../../../../shared/notifications/pending-notifications.ts';
import { alertItem, alertItemSchema } from '../../../../shared/store/dynamodb/alert-item.ts';
import { healthReasonSchema } from '../../../../shared/store/dynamodb/alert-reasons.ts';
import { aNotification, anEvaluation, aQuietAlert } from '../../../contracts/samples.ts';
import { history, live, rules, segments } from '../../../fixtures/alert-histories.ts';
import { dayAt, ROUTES } from '../../../fixtures/builders.ts';
import { GATE_OF, REASON_OF, VERDICT_REASON_OF } from '../../../fixtures/every-code.ts';

const restored = (alert: Alert): Alert => alertItemSchema.parse(alertItem(alert));

const withPending = (overrides: Partial<Notification>): Alert =>
  aQuietAlert({ pending: { a: aNotification(overrides) } });

const ofHealth = Object.values(REASON_OF).filter(
  (reason): reason is HealthReason => healthReasonSchema.safeParse(reason).success,
);

describe('alertItemSchema restores', () => {
  test.each(Object.values(GATE_OF))('gate $code', (gate) => {
    const alert = aQuietAlert({ last: anEvaluation({ gates: [gate] }) });
    expect(restored(alert)).toEqual(alert);
  });

  test.each(Object.values(VERDICT_REASON_OF))('verdict $code', (reason) => {
    const alert = aQuietAlert({ last: anEvaluation({ reason }) });
    expect(restored(alert)).toEqual(alert);
  });

  test.each(Object.values(REASON_OF))('reason $code', (reason) => {
    expect(restored(withPending({ reason }))).toEqual(withPending({ reason }));
  });

  test.each(ofHealth)('health $code', (reason) => {
    const health: Health = { kind: 'broken', since: 1, through: 2, reason, notified: true, streak: 5 };
    const alert = aQuietAlert({ health });
    expect(restored(alert)).toEqual(alert);
  });
});

/** Text of people and services, and names. */
const FREE_TEXT = new Set(['by', 'note', 'error', 'app', 'title', 'holiday', 'segment', 'tick', 'ruleHash']);

/** Our own texts with their paths. */
function textsIn(stored: unknown, at = ''): string[] {
  if (typeof stored === 'string') return [`${at}: ${stored}`];
  if (typeof stored !== 'object' || stored === null) return [];
  return Object.entries(stored).flatMap(([key, value]) =>
    FREE_TEXT.has(key) ? [] : textsIn(value, `${at}/${key}`),
  );
}

test('alertItem stores codes and figures, never prose, for any history of an alert', () => {
  const tick = { id: 'daily', scheduledAt: dayAt(0).endAt };
  fc.assert(
    fc.property(history, rules, segments, (events, rule, segment) => {
      live(events, rule, segment, ({ step: { alert, news } }) => {
        const about = {
          windowEndAt: alert.evaluatedThroughAt,
          evaluation: alert.last,
          firedWindowEndAt: null,
          tick,
        };
        const notified = news.reduce(
          (each, one) => queueNotification(each, rule, ROUTES, { ...about, ...one }),
          alert,
        );
        const { answers: _, acknowledged: __, snoozed: ___, ...ours } = restored(notified);
        expect(restored(notified)).toEqual(notified);
        expect(textsIn(ours).filter((text) => !/: [a-z0-9-]*$/.test(text))).toEqual([]);
      });
    }),
    { numRuns: 30 },
  );
});
