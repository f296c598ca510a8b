import { describe } from 'vitest';
import { HOUR_MS } from '../../shared/units/durations.ts';
import { daily, lifeOf, perSession } from '../fixtures/life.ts';
import { golden } from './golden.ts';
import { pendingByApp, pendingFor, shopRule, TUESDAY_3_AM } from './situations.ts';

const sales = (overrides: Record<string, unknown> = {}) =>
  daily({
    title: 'Purchases',
    zone: 'UTC',
    severity: 'critical',
    runbook: 'Ask the payment provider.',
    ...overrides,
  });

describe('the message of a rule or app that cannot be evaluated', () => {
  const failed = {
    kind: 'failed' as const,
    reason: {
      code: 'read-failed' as const,
      error: 'the data access service did not answer within 30 seconds',
    },
    progressed: false,
  };
  const short = {
    kind: 'inconclusive' as const,
    reason: { code: 'calls-spent' as const, error: 'no calls are left this hour for the app "demo"' },
    progressed: false,
  };
  const slow = {
    kind: 'inconclusive' as const,
    reason: { code: 'out-of-time' as const },
    progressed: false,
  };
  const runs = (...outcomes: (typeof failed | typeof short | typeof slow | { kind: 'evaluated' })[]) =>
    outcomes.reduce((life, outcome) => life.run(outcome), lifeOf(sales()));
  const normal = Array.from({ length: 21 }, (_, day) => (day % 2 ? 103 : 97));
  const rage = perSession({ title: 'Rage gestures per session' });
  golden('not checked', [runs(failed).pending()]);
  golden('broken', [runs(failed, failed, failed, failed, failed).pending()]);
  golden('checked again', [runs(failed, failed, failed, failed, failed, { kind: 'evaluated' }).pending()]);
  golden('stalled', [runs(short, short).pending()]);
  golden('stalled without time', [runs(slow, slow).pending()]);
  golden('no data', [
    lifeOf(rage)
      .days([...normal, undefined, undefined, undefined])
      .pending(),
  ]);
  golden('data back', [
    lifeOf(rage)
      .days([...normal, undefined, undefined, undefined, 100])
      .pending(),
  ]);
  const since = TUESDAY_3_AM - 3 * 24 * HOUR_MS;
  const unmatched = { sinceAt: since, windows: 72, isNew: true, notified: true };
  const reason = { code: 'never-a-value', windows: 72, grain: 'hour' } as const;
  golden('matches nothing', [pendingFor(shopRule(), 'matches-nothing', null, { unmatched, reason })]);
  golden('app stopped', [pendingByApp(7)]);
  const stopped = pendingByApp(7);
  const later = (transition: 'acknowledged' | 'reminded', hours: number) => {
    const dueAt = TUESDAY_3_AM + hours * HOUR_MS;
    const reason = { code: 'acknowledged' as const, by: 'Anna', note: '' };
    return { ...stopped.notification, transition, reason, dueAt };
  };
  const acknowledged = { by: 'Anna', at: TUESDAY_3_AM + HOUR_MS / 4, reason: '' };
  golden('app still stopped', [{ ...stopped, notification: later('reminded', 4) }]);
  golden('app stopped and acknowledged', [
    { ...stopped, alert: { ...stopped.alert, acknowledged }, notification: later('acknowledged', 0.25) },
  ]);
  golden('app resumed', [pendingByApp(7, 0)]);
});
