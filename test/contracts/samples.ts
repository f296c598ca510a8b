import { type Alert, type EvaluatedWindow, type Notification, newAlert } from '../../shared/alerts/alert.ts';
import type { AuditLog } from '../../shared/alerts/audit.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import type { Drivers } from '../../shared/evaluation/drivers.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import type { Snapshot } from '../../shared/readings/reading.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../../shared/rules/rule.ts';
import type { Driver } from '../../shared/statistics/attribution-driver.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';

export const NOW = Date.UTC(2026, 2, 2, 12, 10);

const END = Date.UTC(2026, 2, 2, 12);

export function anEvaluation(overrides: Partial<Evaluation> = {}): Evaluation {
  return {
    current: { window: { startAt: END - HOUR_MS, endAt: END }, value: 1234, weight: null },
    baseline: {
      ...{ window: { startAt: END - 2 * HOUR_MS, endAt: END - HOUR_MS }, value: 1180, weight: null },
      origin: { of: 'median', windows: 4 },
    },
    previous: { value: 1180, weight: null },
    difference: 54,
    change: 0.04576271186440678,
    gates: [
      { gate: 'settled', passed: true, code: 'settled', figures: { closedAt: END, settleMinutes: 10 } },
      { gate: 'fresh', passed: true, code: 'fresh', figures: { newestDataAt: END + 4 * 60_000 } },
      {
        ...{ gate: 'volume', passed: true, code: 'enough-volume' },
        figures: { current: 1234, baseline: 1180, difference: 54 },
      },
      {
        ...{ gate: 'threshold', passed: false, code: 'within-bounds' },
        figures: { current: 1234, baseline: 1180, difference: 54, change: 0.04576271186440678 },
        bounds: { change: { above: 0.5, below: -0.5 } },
      },
      {
        ...{ gate: 'significance', passed: false, code: 'not-significant', history: 'enough' },
        figures: { z: 1.0997123411, p: 0.2714312341, clustering: 1, tau: 0.0434312343, pairs: 55 },
      },
    ],
    significance: {
      z: 1.0997123411,
      p: 0.2714312341,
      clustering: 1,
      tau: 0.0434312343,
      pairs: 55,
      exactP: 3.1e-205,
      family: { tested: 12, adjustedP: 0.3 },
    },
    surprise: {
      expected: 1190.25,
      low: 900,
      high: 1500,
      z: 0.7,
      limit: 5,
      isBeyond: false,
      isUsual: true,
      canDetect: true,
      larger: 3,
      remembered: 1344,
    },
    verdict: 'clear',
    reason: { code: 'gate', gate: 'threshold' },
    recovered: true,
    ...overrides,
  };
}

/** An alert that was never saved. */
export function aNewAlert(overrides: Partial<Alert> = {}): Alert {
  const key = { ruleId: 'checkout-errors', segment: null };
  return { ...newAlert(key, '0123456789abcdef', END), ...overrides };
}

/** Windows of an hour. The last one ended at noon. */
export function evaluated(verdicts: EvaluatedWindow['verdict'][]): EvaluatedWindow[] {
  return verdicts.map((verdict, i) => ({ endAt: END - (verdicts.length - 1 - i) * HOUR_MS, verdict }));
}

/** A typical alert: it has nothing to notify and keeps its last evaluation. */
export function aQuietAlert(overrides: Partial<Alert> = {}): Alert {
  const recent = evaluated(['clear', 'breached', 'clear']);
  const lastWindows = recent.map(({ endAt }, i) => ({
    ...{ endAt, value: i === 1 ? null : 1234.5 },
    verdict: i === 1 ? ('no-data' as const) : ('clear' as const),
  }));
  return aNewAlert({ recent, lastWindows, last: anEvaluation(), ...overrides });
}

function aDriver(kind: Driver['kind'], opposed: Drivers['opposed']): Drivers {
  const values = { device_platform: 'android' };
  const shares = { shareOfChange: 0.92, shareOfBase: 0.18, shareNow: 0.03 };
  return {
    drivers: [{ kind, values, current: 1.5, baseline: null, ...shares }],
    ...{ opposed, compared: ['device_country'], moved: { current: 1210, baseline: 390.25 } },
  };
}

export function aNotification(overrides: Partial<Notification> = {}): Notification {
  return {
    transition: 'fired',
    channel: 'oncall',
    route: 'payments',
    tick: 'hourly-at-10@2026-03-02T12:10:00.000Z',
    windowEndAt: END,
    since: NOW,
    reason: { code: 'evaluation' },
    evaluation: anEvaluation({ verdict: 'breached' }),
    firedWindowEndAt: null,
    firstRead: { value: 1210, weight: null },
    drivers: aDriver('within', { dimension: 'app_version', within: -0.2, mix: 0.3 }),
    dueAt: NOW,
    attempts: 0,
    ...overrides,
  };
}

/** An alert in which every field differs from its initial value. */
export function aFiringAlert(overrides: Partial<Alert> = {}): Alert {
  const { current, baseline } = anEvaluation();
  return aQuietAlert({
    segment: 'de / Berlin #1',
    state: 'firing',
    fired: {
      windowEndAt: current.window.endAt,
      firstEndAt: current.window.endAt - HOUR_MS,
      baseline,
      direction: 'up',
      gap: { from: 390.25, to: 1210 },
      drivers: aDriver('mix', null),
      fromRevision: 7,
      lasted: { windows: 9, atZero: 4 },
    },
    recent: evaluated(['clear', 'breached', 'clear']),
    levelSinceAt: END - 30 * DAY_MS,
    levelAcceptedAt: END - 16 * DAY_MS,
    changes: [END - DAY_MS, END],
    flappingSinceAt: END,
    noData: { sinceAt: END - 2 * HOUR_MS, windows: 2, notified: false },
    unmatched: { sinceAt: END - 2 * HOUR_MS, windows: 2, isNew: true, notified: false },
    health: {
      kind: 'failing',
      since: END,
      through: NOW,
      reason: { code: 'read-failed', error: 'the service timed out' },
      streak: 2,
      notified: false,
    },
    acknowledged: { by: 'Anna', at: NOW, reason: 'looking at it' },
    snoozed: { by: 'Ben', at: NOW, reason: '', untilAt: NOW + HOUR_MS },
    excusedUntilAt: END - 2 * DAY_MS,
    answers: [
      {
        ...{ answer: 'snooze-1h', by: 'Ben', at: NOW, reason: '' },
        ...{ firedWindowEndAt: END, link: 'AbCdEfGhIjKlMnOp' },
      },
    ],
    pending: {
      'checkout-errors#de#fired#oncall': aNotification(),
      other: aNotification({ evaluation: null, attempts: 3 }),
    },
    pendingAt: NOW,
    sent: [
      {
        ...{ transition: 'recovered', channel: 'oncall', windowEndAt: END - DAY_MS, sentAt: END },
        receipt: { conversation: 'C0123456789', message: '1700000000.000100' },
      },
      {
        ...{
          transition: 'retracted',
          channel: 'oncall',
          windowEndAt: END - 2 * DAY_MS,
          sentAt: END - DAY_MS,
        },
        firedWindowEndAt: END - 3 * DAY_MS,
      },
    ],
    ...overrides,
  });
}

function aRule(id: string): Rule {
  const entry = {
    id,
    title: 'Checkout errors',
    app: 'shop',
    owner: 'payments',
    every: 'monday at 07:00',
    zone: 'Europe/Berlin',
    metric: 'event_count',
    filters: [{ attribute: 'event_name', operator: 'equal', value: 'checkout_error' }],
    group_by: 'device_platform',
    compare: { to: 'previous_period' },
    fire: { change: { above: '50%', below: '-12.5%' }, difference: { above: 20 } },
    recover: { change: { above: '30%' } },
    fire_after: '2 of 3',
  };
  return buildRule(ruleSetEntrySchema.parse(entry));
}

export function aRuleSet(version: string, ruleCount = 2): RuleSet {
  const routes = routesSchema.parse({
    channels: { oncall: { slack: { webhook_secret: 'deltawatch/oncall' } } },
    default: ['oncall'],
    routes: [{ name: 'payments', match: { owner: 'payments' }, channels: ['oncall'] }],
  });
  return { version, routes, rules: Array.from({ length: ruleCount }, (_, i) => aRule(`rule-${i}`)) };
}

export function aSnapshot(overrides: Partial<Snapshot> = {}): Snapshot {
  return {
    family: '00112233aabbccdd',
    window: { startAt: END - HOUR_MS, endAt: END },
    readAt: NOW,
    eventNames: ['open', 'buy'],
    keys: ['event_count'],
    rows: [
      { eventName: 'open', segment: 'ios', current: { event_count: 12 }, previous: { event_count: null } },
      { eventName: 'buy', current: { event_count: 0.1 + 0.2 } },
    ],
    ...overrides,
  };
}

/** A snapshot of about `kilobytes` when compressed: its digits are random. */
export function aLargeSnapshot(kilobytes: number, overrides: Partial<Snapshot> = {}): Snapshot {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const rows = Array.from({ length: kilobytes * 100 }, () => ({ current: { event_count: next() } }));
  return aSnapshot({ rows, ...overrides });
}

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

export function anAuditEntry(overrides: Partial<Parameters<AuditLog['save']>[0]> = {}) {
  const about = { by: 'Anna', how: 'page', kind: 'answered', on: 'orders', segment: null } as const;
  return { at: NOW, ...about, app: 'shop', detail: 'acknowledge', reason: 'on it', ...overrides };
}
