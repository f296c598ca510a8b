import { describe, expect, test } from 'vitest';
import type { Alert, GivenAnswer } from '../../../shared/alerts/alert.ts';
import { type Digest, digestOf, partOfRule } from '../../../shared/notifications/digest.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

/** Seven days from Monday at 09:00. */
const PERIOD = { startAt: MONDAY + 9 * HOUR_MS, endAt: MONDAY + 7 * DAY_MS + 9 * HOUR_MS };
const sales = ruleNamed('sales', { severity: 'critical' });
const evaluated = (overrides: Partial<Alert> = {}): Alert =>
  alertOf(sales, { evaluatedThroughAt: MONDAY + 7 * DAY_MS, ...overrides });
/** The incident of some days from the given one; Monday is 0. */
const from = (day: number, days = 1) => ({
  startAt: MONDAY + day * DAY_MS,
  endAt: MONDAY + (day + days) * DAY_MS,
});
const answered = (answer: GivenAnswer['answer'], day: number): GivenAnswer => ({
  ...{ answer, by: 'Anna', at: MONDAY + (day + 1) * DAY_MS + HOUR_MS, reason: '', link: null },
  firedWindowEndAt: MONDAY + (day + 1) * DAY_MS,
});

function digest(alerts: Alert[], about: Partial<Parameters<typeof digestOf>[1]> = {}, rule = sales): Digest {
  return digestOf([partOfRule(rule, alerts, [], PERIOD)], {
    ...{ period: PERIOD, zone: 'UTC', appAlerts: [] },
    ...{ unreadable: { rules: [], alerts: [] }, ...about },
  });
}

describe('what fired', () => {
  test('fires of the period by severity, and how many are open', () => {
    const alert = evaluated({ state: 'firing', incidents: [from(1), from(4, 3)] });
    expect(digest([alert]).fired).toEqual({
      ...{ alerts: 2, rules: 1, open: 1 },
      bySeverity: { info: 0, warning: 0, critical: 2 },
    });
    expect(partOfRule(sales, [alert], [], PERIOD).fires).toEqual([{ isOpen: false }, { isOpen: true }]);
  });

  test('a fire belongs to the period of the run that was due after its window, and to no other', () => {
    const [before, after] = [from(-1), from(6)];
    const alert = evaluated({ incidents: [before, after] });
    const next = { startAt: PERIOD.endAt, endAt: PERIOD.endAt + 7 * DAY_MS };
    const last = { startAt: PERIOD.startAt - 7 * DAY_MS, endAt: PERIOD.startAt };
    const firesIn = (period: typeof PERIOD) => partOfRule(sales, [alert], [], period).fires.length;
    // The daily rule runs at 01:00, before the digest.
    expect([last, PERIOD, next].map(firesIn)).toEqual([1, 1, 0]);
    // Digests at the time of the run, and one before it.
    const shifted = (hours: number) =>
      [last, PERIOD, next].map(({ startAt, endAt }) =>
        firesIn({ startAt: startAt - hours * HOUR_MS, endAt: endAt - hours * HOUR_MS }),
      );
    expect([shifted(8), shifted(9)]).toEqual([
      [1, 1, 0],
      [0, 1, 1],
    ]);
  });

  test('a fire belongs to a period that ends with its window, if the rule runs then', () => {
    const hourly = ruleNamed('sales', { window: 'hour', every: 'hour at :00', settle: '0 minutes' });
    const incident = { startAt: PERIOD.endAt - HOUR_MS, endAt: PERIOD.endAt };
    const alert = evaluated({ incidents: [incident], evaluatedThroughAt: PERIOD.endAt });
    expect(partOfRule(hourly, [alert], [], PERIOD).fires).toHaveLength(1);
  });

  test('an answer to one incident does not date another one', () => {
    const [earlier, later] = [from(-20), from(3)];
    const alert = evaluated({ incidents: [earlier, later], answers: [answered('acknowledge', -20)] });
    expect(digest([alert]).fired.alerts).toBe(1);
    const both = evaluated({ incidents: [from(1), from(8)], answers: [answered('acknowledge', 8)] });
    expect(digest([both]).fired.alerts).toBe(1);
  });

  test('an accepted level has fired, although it is no incident any more', () => {
    const alert = evaluated({
      levelSinceAt: from(2).startAt,
      levelAcceptedAt: from(2).endAt,
      answers: [answered('accept', 2)],
    });
    expect(digest([alert])).toMatchObject({ fired: { alerts: 1 }, mostFired: [{ rule: 'sales', fires: 1 }] });
  });
});

describe('what needs attention', () => {
  test('a rule that fails is not evaluated, since its first failure', () => {
    const since = MONDAY + 3 * DAY_MS;
    const reason = { code: 'out-of-time' as const };
    const health = { kind: 'broken' as const, since, through: since, reason, notified: true, streak: 9 };
    expect(digest([evaluated({ health })]).notEvaluated).toEqual([{ name: 'sales', sinceAt: since }]);
  });

  test('a healthy rule that was due and did not run is not evaluated either', () => {
    const stale = evaluated({ evaluatedThroughAt: MONDAY - DAY_MS });
    expect(digest([stale])).toMatchObject({
      rules: { deployed: 1, evaluated: 0 },
      notEvaluated: [{ name: 'sales', sinceAt: MONDAY - DAY_MS }],
    });
    expect(digest([]).notEvaluated).toEqual([{ name: 'sales', sinceAt: null }]);
  });

  test('a rule that matches nothing', () => {
    const unmatched = { sinceAt: MONDAY - 9 * DAY_MS, windows: 9, isNew: true, notified: true };
    expect(digest([evaluated({ unmatched })]).unmatched).toEqual([
      { name: 'sales', sinceAt: MONDAY - 9 * DAY_MS },
    ]);
  });

  test('alerts that cannot be read are named', () => {
    const unread = [{ ruleId: 'sales', segment: 'DE', reason: 'broken' }];
    const part = partOfRule(sales, [evaluated()], unread, PERIOD);
    const found = digestOf([part], {
      ...{ period: PERIOD, zone: 'UTC', appAlerts: [] },
      unreadable: { rules: ['other'], alerts: [] },
    });
    expect(found.unreadable).toEqual({ rules: ['other'], alerts: [{ ruleId: 'sales', segment: 'DE' }] });
  });
});
