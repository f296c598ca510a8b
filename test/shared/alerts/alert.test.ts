import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Alert, alertSchema } from '../../../shared/alerts/alert.ts';
import { healthReasonSchema } from '../../../shared/evaluation/reason.ts';
import { queueNotification } from '../../../shared/notifications/pending-notifications.ts';
import { aNotification, anEvaluation, aQuietAlert } from '../../contracts/samples.ts';
import { history, live, rules, segments } from '../../fixtures/alert-histories.ts';
import { dayAt, ROUTES } from '../../fixtures/builders.ts';
import { GATE_OF, REASON_OF, VERDICT_REASON_OF } from '../../fixtures/every-code.ts';

const restored = (alert: Alert): Alert => alertSchema.parse(JSON.parse(JSON.stringify(alert)));

test('an alert keeps every gate and reason when it is stored', () => {
  const reasons = Object.values(REASON_OF);
  const alerts = [
    aQuietAlert({ last: anEvaluation({ gates: Object.values(GATE_OF) }) }),
    ...Object.values(VERDICT_REASON_OF).map((reason) => aQuietAlert({ last: anEvaluation({ reason }) })),
    ...reasons.map((reason) => aQuietAlert({ pending: { a: aNotification({ reason }) } })),
    ...reasons.flatMap((each) => {
      const { data: reason } = healthReasonSchema.safeParse(each);
      const streak = { since: 1, through: 2, notified: true, streak: 5 };
      return reason ? [aQuietAlert({ health: { kind: 'broken', ...streak, reason } })] : [];
    }),
  ];
  expect(alerts.map(restored)).toEqual(alerts);
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

test('an alert has codes and figures, never prose, for any history', () => {
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
