import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { advanceHealth, type Outcome } from '../../../shared/alerts/health.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, ruleNamed } from '../../fixtures/builders.ts';

const rule = ruleNamed('sales');

describe('the health of a rule', () => {
  function live(outcomes: Outcome[]) {
    let alert: Alert = alertOf(rule);
    const notified: string[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const step = advanceHealth(alert, outcome, i * HOUR_MS);
      alert = step.alert;
      notified.push(...step.news.map(({ transition }) => `${transition}@${i + 1}`));
    }
    return { health: alert.health.kind, notified, state: alert.state };
  }
  const failed: Outcome = {
    kind: 'failed',
    reason: { code: 'read-failed', error: 'the service is down' },
    progressed: false,
  };
  const short: Outcome = {
    kind: 'inconclusive',
    reason: { code: 'calls-spent', error: 'the budget is spent' },
    progressed: false,
  };
  const good: Outcome = { kind: 'evaluated' };

  it.each<[string, Outcome[], string, string[]]>([
    ['notifies about the first failure of a streak only', [failed, failed, failed], 'failing', ['failing@1']],
    [
      'is broken from the fifth failure on',
      [failed, failed, failed, failed, failed, failed],
      'broken',
      ['failing@1', 'broken@5'],
    ],
    [
      'is healed by a success',
      [failed, failed, failed, failed, failed, good],
      'ok',
      ['failing@1', 'broken@5', 'healed@6'],
    ],
    [
      'ends a short streak without a notification',
      [failed, good, failed],
      'failing',
      ['failing@1', 'failing@3'],
    ],
    [
      'is inconclusive and can stall when failures turn inconclusive',
      [failed, ...Array(8).fill(short)],
      'inconclusive',
      ['failing@1', 'stalled@8'],
    ],
    [
      'stays broken while runs are inconclusive',
      [...Array(5).fill(failed), short],
      'broken',
      ['failing@1', 'broken@5'],
    ],
    [
      'stalls again after progress',
      [...Array(7).fill(short), { ...short, progressed: true }, ...Array(7).fill(short)],
      'inconclusive',
      ['stalled@7', 'healed@8', 'stalled@14'],
    ],
    ['is inconclusive without a notification', [short, short], 'inconclusive', []],
    [
      'is reported as stalled once, after six hours',
      [...Array(9).fill(short)],
      'inconclusive',
      ['stalled@7'],
    ],
    ['is healed of a stall by a success', [...Array(7).fill(short), good], 'ok', ['stalled@7', 'healed@8']],
    [
      'does not stall without fresh data: the app has its own alert',
      Array(9).fill({ ...short, kind: 'stale' }),
      'inconclusive',
      [],
    ],
    [
      'counts hours without calls towards a stall, not hours without data',
      [...Array(5).fill({ ...short, kind: 'stale' }), ...Array(7).fill(short)],
      'inconclusive',
      ['stalled@12'],
    ],
    [
      'does not stall while some windows are evaluated',
      [...Array(9).fill({ ...short, progressed: true })],
      'inconclusive',
      [],
    ],
    [
      'is healed of a stall that turned into a failure',
      [...Array(7).fill(short), failed, good],
      'ok',
      ['stalled@7', 'failing@8', 'healed@9'],
    ],
  ])('%s', (_name, outcomes, health, notified) => {
    expect(live(outcomes)).toEqual({ health, notified, state: 'normal' });
  });

  it('counts a run once, even if it is delivered twice', () => {
    const once = advanceHealth(alertOf(rule), failed, 7).alert;
    expect(advanceHealth(once, failed, 7)).toEqual({ alert: once, news: [] });
  });
});
