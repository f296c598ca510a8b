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
  const OUTCOMES: Record<string, Outcome> = {
    f: failed,
    s: short,
    p: { ...short, progressed: true },
    n: { ...short, kind: 'stale' },
    g: { kind: 'evaluated' },
  };
  const SEVEN = 'sssssss';

  it.each([
    ['notifies about the first failure of a streak only', 'fff', 'failing', 'failing@1'],
    ['is broken from the fifth failure on', 'ffffff', 'broken', 'failing@1 broken@5'],
    ['is healed by a success', 'fffffg', 'ok', 'failing@1 broken@5 healed@6'],
    ['ends a short streak without a notification', 'fgf', 'failing', 'failing@1 failing@3'],
    ['is inconclusive and can stall after a failure', `f${SEVEN}s`, 'inconclusive', 'failing@1 stalled@8'],
    ['stays broken while runs are inconclusive', 'fffffs', 'broken', 'failing@1 broken@5'],
    ['stalls again after progress', `${SEVEN}p${SEVEN}`, 'inconclusive', 'stalled@7 healed@8 stalled@14'],
    ['is inconclusive without a notification', 'ss', 'inconclusive', ''],
    ['is reported as stalled once, after six hours', `${SEVEN}ss`, 'inconclusive', 'stalled@7'],
    ['is healed of a stall by a success', `${SEVEN}g`, 'ok', 'stalled@7 healed@8'],
    ['does not stall without fresh data: the app has its own alert', 'nnnnnnnnn', 'inconclusive', ''],
    ['counts hours without calls towards a stall only', `nnnnn${SEVEN}`, 'inconclusive', 'stalled@12'],
    ['does not stall while some windows are evaluated', 'ppppppppp', 'inconclusive', ''],
    ['is healed of a stall that turned into a failure', `${SEVEN}fg`, 'ok', 'stalled@7 failing@8 healed@9'],
  ])('%s', (_name, outcomes, health, notified) => {
    const lived = live([...outcomes].map((of) => OUTCOMES[of] ?? failed));
    expect(lived).toEqual({ health, notified: notified ? notified.split(' ') : [], state: 'normal' });
  });

  it('counts a run once, even if it is delivered twice', () => {
    const once = advanceHealth(alertOf(rule), failed, 7).alert;
    expect(advanceHealth(once, failed, 7)).toEqual({ alert: once, news: [] });
  });

  it.each(['f', 's', 'n'])('is well once the same run succeeds after "%s"', (first) => {
    const before = advanceHealth(alertOf(rule), OUTCOMES[first] ?? failed, 7).alert;
    expect(advanceHealth(before, { kind: 'evaluated' }, 7).alert.health).toEqual({ kind: 'ok' });
  });

  it('is not well because an earlier run succeeds late', () => {
    const before = advanceHealth(alertOf(rule), failed, 7).alert;
    expect(advanceHealth(before, { kind: 'evaluated' }, 6)).toEqual({ alert: before, news: [] });
  });
});
