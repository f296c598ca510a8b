import { describe, expect, test } from 'vitest';
import type { Alert, GivenAnswer } from '../../../shared/alerts/alert.ts';
import { appAlertKey, newAppAlert } from '../../../shared/alerts/app-alert.ts';
import type { Delivery } from '../../../shared/notifications/delivery-log.ts';
import { type Digest, digestOf, partOfRule } from '../../../shared/notifications/digest.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, dayAt, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

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
    ...{ period: PERIOD, zone: 'UTC', appAlerts: [], deliveries: [], silences: [] },
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

  test('an accepted level has fired, although it is no incident any more', () => {
    const alert = evaluated({
      levelSinceAt: from(2).startAt,
      levelAcceptedAt: from(2).endAt,
      answers: [answered('accept', 2)],
    });
    expect(digest([alert])).toMatchObject({ fired: { alerts: 1 }, responses: { accepted: 1, none: 0 } });
  });

  test('an app that stopped sending is a critical alert of no rule', () => {
    const app = { ...newAppAlert('shop'), state: 'firing' as const, stateSinceAt: MONDAY + 2 * DAY_MS };
    expect(app).toMatchObject(appAlertKey('shop'));
    const { fired } = digest([evaluated()], { appAlerts: [app] });
    expect(fired).toMatchObject({ alerts: 1, rules: 0, open: 1, bySeverity: { critical: 1 } });
  });

  test('a quiet rule notifies nobody, so it fires for the rules over it only', () => {
    const alert = evaluated({ incidents: [from(1)] });
    expect(digest([alert], {}, ruleNamed('sales', { quiet: true })).fired.alerts).toBe(0);
  });
});

test('of several answers to one fire the most telling counts, and each fire has its own', () => {
  const alert = evaluated({
    incidents: [from(1), from(3), from(5)],
    answers: [answered('acknowledge', 3), answered('incident', 1), answered('acknowledge', 1)],
  });
  expect(digest([alert]).responses).toEqual({
    ...{ incident: 1, acknowledged: 1, none: 1 },
    ...{ expected: 0, accepted: 0, snoozed: 0 },
  });
});

describe('what needs attention', () => {
  test('a rule that fails is not evaluated, since its first failure', () => {
    const since = MONDAY + 3 * DAY_MS;
    const reason = { code: 'out-of-time' as const };
    const health = { kind: 'broken' as const, since, through: since, reason, notified: true, streak: 9 };
    expect(digest([evaluated({ health })]).notEvaluated).toEqual([{ rule: 'sales', sinceAt: since }]);
  });

  test('a healthy rule that was due and did not run is not evaluated either', () => {
    const stale = evaluated({ evaluatedThroughAt: MONDAY - DAY_MS });
    expect(digest([stale])).toMatchObject({
      rules: { deployed: 1, evaluated: 0 },
      notEvaluated: [{ rule: 'sales', sinceAt: MONDAY - DAY_MS }],
    });
    expect(digest([]).notEvaluated).toEqual([{ rule: 'sales', sinceAt: null }]);
  });

  test('a rule that matches nothing, and a silence in force', () => {
    const unmatched = { sinceAt: MONDAY - 9 * DAY_MS, windows: 9, isNew: true, notified: true };
    const silence = { id: 's', match: { app: 'shop' }, by: 'Anna', at: 0, reason: 'sale' };
    const silences = [
      { ...silence, fromAt: MONDAY, untilAt: PERIOD.endAt + HOUR_MS },
      { ...silence, fromAt: MONDAY, untilAt: PERIOD.endAt },
    ];
    const found = digest([evaluated({ unmatched })], { silences });
    expect(found.unmatched).toEqual([{ rule: 'sales', sinceAt: MONDAY - 9 * DAY_MS }]);
    expect(found.silences).toEqual(silences.slice(0, 1));
  });

  test('alerts that cannot be read are named', () => {
    const unread = [{ ruleId: 'sales', segment: 'DE', reason: 'broken' }];
    const part = partOfRule(sales, [evaluated()], unread, PERIOD);
    const found = digestOf([part], {
      ...{ period: PERIOD, zone: 'UTC', appAlerts: [], deliveries: [], silences: [] },
      unreadable: { rules: ['other'], alerts: [] },
    });
    expect(found.unreadable).toEqual({ rules: ['other'], alerts: [{ ruleId: 'sales', segment: 'DE' }] });
  });
});

describe('the noisiest rules', () => {
  const key = (day: number) => `sales##${new Date(dayAt(day).endAt).toISOString()}#fired-1#`;
  const delivery = (keys: string[], overrides: Partial<Delivery> = {}): Delivery => ({
    ...{ at: MONDAY + DAY_MS, channel: 'team', route: 'default', title: '', alerts: 1, keys },
    ...{ outcome: { kind: 'sent' }, ...overrides },
  });

  test('a notification counts once for all channels, and only if it was sent in the period', () => {
    const deliveries = [
      ...[1, 2, 3].map((day) => delivery([key(day)])),
      delivery([key(1)], { channel: 'pager' }),
      delivery([key(4)], { outcome: { kind: 'failed', reason: '', permanent: true } }),
      delivery([key(5)], { at: PERIOD.startAt }),
    ];
    expect(digest([evaluated()], { deliveries }).noisiest).toEqual([
      { rule: 'sales', notifications: 3, fires: 0, isFlapping: false, canBeTuned: true },
    ]);
    expect(digest([evaluated()], { deliveries: deliveries.slice(1) }).noisiest).toHaveLength(1);
    expect(digest([evaluated()], { deliveries: deliveries.slice(2) }).noisiest).toEqual([]);
  });

  test('a flapping rule is noisy with any number', () => {
    const alert = evaluated({ flappingSinceAt: MONDAY + DAY_MS });
    expect(digest([alert]).noisiest).toMatchObject([{ rule: 'sales', isFlapping: true }]);
  });
});
