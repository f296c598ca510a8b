import { describe, expect, it } from 'vitest';
import type { Alert } from '../../../../shared/alerting/alerts/alert.ts';
import { advanceHealth, type Outcome } from '../../../../shared/alerting/alerts/health.ts';
import { alertOf, HOUR, ruleNamed } from '../../../fixtures/builders.ts';

const rule = ruleNamed('sales');

describe('the health of a rule', () => {
  function live(outcomes: Outcome[]) {
    let alert: Alert = alertOf(rule);
    const notified: string[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const step = advanceHealth(alert, outcome, i * HOUR);
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
    ['tells of the first failure of a streak only', [failed, failed, failed], 'failing', ['failing@1']],
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
    ['forgets a short streak without a word', [failed, good, failed], 'failing', ['failing@1', 'failing@3']],
    [
      'is inconclusive, and may stall, when nothing fails any more but nothing can be told',
      [failed, ...Array(8).fill(short)],
      'inconclusive',
      ['failing@1', 'stalled@8'],
    ],
    [
      'stays broken while it cannot be told',
      [...Array(5).fill(failed), short],
      'broken',
      ['failing@1', 'broken@5'],
    ],
    [
      'stalls anew after it went on',
      [...Array(7).fill(short), { ...short, progressed: true }, ...Array(7).fill(short)],
      'inconclusive',
      ['stalled@7', 'healed@8', 'stalled@14'],
    ],
    ['is inconclusive without a word', [short, short], 'inconclusive', []],
    ['is told to stall after six hours, once', [...Array(9).fill(short)], 'inconclusive', ['stalled@7']],
    ['is healed of a stall', [...Array(7).fill(short), good], 'ok', ['stalled@7', 'healed@8']],
    [
      'is not told to stall for want of fresh data: the app has an alert of its own',
      Array(9).fill({ ...short, kind: 'stale' }),
      'inconclusive',
      [],
    ],
    [
      'stalls by the hours without calls, not by those without data',
      [...Array(5).fill({ ...short, kind: 'stale' }), ...Array(7).fill(short)],
      'inconclusive',
      ['stalled@12'],
    ],
    [
      'does not stall while some windows are judged',
      [...Array(9).fill({ ...short, progressed: true })],
      'inconclusive',
      [],
    ],
    [
      'is healed of a stall that ended in a failure',
      [...Array(7).fill(short), failed, good],
      'ok',
      ['stalled@7', 'failing@8', 'healed@9'],
    ],
  ])('%s', (_name, outcomes, health, notified) => {
    expect(live(outcomes)).toEqual({ health, notified, state: 'normal' });
  });

  it('counts a tick once, however often it is delivered', () => {
    const once = advanceHealth(alertOf(rule), failed, 7).alert;
    expect(advanceHealth(once, failed, 7)).toEqual({ alert: once, news: [] });
  });
});
