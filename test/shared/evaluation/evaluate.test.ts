import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../shared/evaluation/evaluate.ts';
import type { Fired } from '../../../shared/evaluation/fired.ts';
import type { Reading } from '../../../shared/readings/reading.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import type { Window } from '../../../shared/time/window.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, mean, ruleNamed, value } from '../../fixtures/builders.ts';

const TODAY = dayAt(30);

/** Normal days that differ by 5% from each other. */
const quietPast = (level: (amount: number) => Reading) =>
  Array.from({ length: 29 }, (_, i) => ({
    current: { window: dayAt(i + 1), ...level(1000 + (i % 2 ? 25 : -25)) },
    baseline: { window: dayAt(i), ...level(1000 + (i % 2 ? -25 : 25)) },
  }));

interface Case {
  rule?: Record<string, unknown>;
  current: Reading;
  baseline?: Reading | undefined;
  baselineWindow?: Window;
  fired?: Fired;
  newestDataAt?: number;
  past?: ReturnType<typeof quietPast>;
}

function evaluated({ current, baseline, baselineWindow = dayAt(29), ...given }: Case) {
  const rule: Rule = ruleNamed('sales', given.rule);
  return evaluate(rule, {
    current: { ...current, window: TODAY },
    baseline: baseline && { ...baseline, window: baselineWindow, origin: { of: 'window' } },
    surprise: undefined,
    knownSinceAt: null,
    newSinceAt: null,
    isTooNew: false,
    holiday: null,
    previous: baseline ?? value(null),
    past: given.past ?? quietPast(value),
    newestDataAt: given.newestDataAt ?? TODAY.endAt + HOUR_MS,
    fired: given.fired ?? null,
  });
}

const failedGate = (evaluation: ReturnType<typeof evaluated>) =>
  evaluation.gates.find(({ passed }) => !passed)?.gate;
const fell: Fired = {
  windowEndAt: dayAt(29).endAt,
  firstEndAt: dayAt(29).endAt,
  baseline: { ...value(1000), window: dayAt(28), origin: { of: 'window' } },
  direction: 'down',
  gap: null,
};
const rose: Fired = { ...fell, direction: 'up' };
const up = { fire: { change: { above: '50%' } } };

describe('a window', () => {
  it.each<[string, Case, string, string | undefined]>([
    [
      'that fell below the bound breaches',
      { current: value(600), baseline: value(1000) },
      'breached',
      undefined,
    ],
    ['that fell to 0 breaches', { current: value(0), baseline: value(1000) }, 'breached', undefined],
    [
      'that fell just short of the bound is clear',
      { current: value(701), baseline: value(1000) },
      'clear',
      'threshold',
    ],
    [
      'that rose is clear for a rule about falls',
      { current: value(5000), baseline: value(1000) },
      'clear',
      'threshold',
    ],
    ['at 0 after 0 is clear', { current: value(0), baseline: value(0) }, 'clear', 'threshold'],
    [
      'that rose from 0 exceeds any bound of change',
      { rule: up, current: value(40), baseline: value(0) },
      'breached',
      undefined,
    ],
    [
      'below the minimum is clear',
      { rule: { minimum: { baseline: 50 } }, current: value(5), baseline: value(49) },
      'clear',
      'volume',
    ],
    [
      'at the minimum breaches',
      { rule: { minimum: { baseline: 50 } }, current: value(5), baseline: value(50) },
      'breached',
      undefined,
    ],
    [
      'that differs by less than the minimum is clear',
      { rule: { minimum: { difference: 500 } }, current: value(600), baseline: value(1000) },
      'clear',
      'volume',
    ],
    ['that differs by chance is clear', { current: value(3), baseline: value(6) }, 'clear', 'significance'],
    [
      'without fresh data is inconclusive',
      { current: value(0), baseline: value(1000), newestDataAt: TODAY.endAt - 1 },
      'inconclusive',
      'fresh',
    ],
    ['without a baseline is inconclusive', { current: value(600) }, 'inconclusive', undefined],
    [
      'of a mean without sessions has no data',
      { rule: { metric: 'session_seconds', filters: [] }, current: mean(null, 0), baseline: mean(60, 900) },
      'no-data',
      undefined,
    ],
    [
      'beyond all of several bounds breaches',
      {
        rule: { fire: { change: { below: '-30%' }, current: { below: 700 } } },
        current: value(600),
        baseline: value(1000),
      },
      'breached',
      undefined,
    ],
    [
      'beyond only one of several bounds is clear',
      {
        rule: { fire: { change: { below: '-30%' }, current: { below: 500 } } },
        current: value(600),
        baseline: value(1000),
      },
      'clear',
      'threshold',
    ],
    [
      'beyond an absolute difference breaches',
      { rule: { fire: { difference: { above: 300 } } }, current: value(1400), baseline: value(1000) },
      'breached',
      undefined,
    ],
  ])('%s', (_name, given, verdict, gate) => {
    const evaluation = evaluated(given);
    expect(evaluation.verdict).toBe(verdict);
    expect(failedGate(evaluation)).toBe(gate);
  });

  it('is compared per hour with a baseline of 25 hours', () => {
    const longDay = { startAt: TODAY.startAt - 25 * HOUR_MS, endAt: TODAY.startAt };
    const evaluation = evaluated({ current: value(960), baseline: value(1000), baselineWindow: longDay });
    expect(evaluation).toMatchObject({ difference: 0, change: 0 });
  });

  it('lists its gates and the one that decided', () => {
    const { reason, gates } = evaluated({ current: value(600), baseline: value(1000) });
    expect(reason).toEqual({ code: 'gate', gate: 'threshold' });
    expect(gates.map(({ gate }) => gate)).toEqual([
      'settled',
      'fresh',
      'volume',
      'threshold',
      'significance',
    ]);
  });

  it('has no percentage for a rise from zero', () => {
    expect(evaluated({ rule: up, current: value(40), baseline: value(0) })).toMatchObject({
      difference: 40,
      change: null,
    });
  });

  it('without history is tested with the default spread and reports that', () => {
    const { significance, gates } = evaluated({ current: value(600), baseline: value(1000), past: [] });
    expect(significance).toMatchObject({ tau: 0.25, pairs: 0 });
    expect(gates.at(-1)).toMatchObject({ history: 'little', borrowed: { tau: 0.25, from: 'other series' } });
  });

  it.each([
    { pairs: 3, history: 'little' },
    { pairs: 29, history: 'enough' },
  ])('after $pairs pairs reports $history history', ({ pairs, history }) => {
    const past = quietPast(value).slice(0, pairs);
    const { gates } = evaluated({ current: value(600), baseline: value(1000), past });
    expect(gates.at(-1)).toMatchObject({ history, figures: { pairs } });
    expect(Object.hasOwn(gates.at(-1) ?? {}, 'borrowed')).toBe(history === 'little');
  });

  it.each([
    { every: 'day at 07:00', to: 'same_weekday', tau: 0.25 },
    { every: 'day at 07:00', to: 'previous_period', tau: 0.25 },
    { every: 'hour', to: 'previous_period', tau: 0.35 },
    { every: 'hour', to: 'same_weekday', tau: 0.55 },
  ])('of $every against $to has a default spread of $tau', ({ every, to, tau }) => {
    const rule = { every, compare: { to } };
    const { significance } = evaluated({ rule, current: value(600), baseline: value(1000), past: [] });
    expect(significance?.tau).toBe(tau);
  });

  it('of means is weighted by sessions: a change is noise in 5 and significant in 5,000', () => {
    const past = quietPast((amount) => mean(amount / 500, 5000));
    const rule = { metric: 'rage_gestures_per_session', filters: [], fire: { change: { above: '40%' } } };
    const verdict = (sessions: number) =>
      evaluated({ rule, past, current: mean(3.2, sessions), baseline: mean(2, sessions) }).verdict;
    expect([verdict(5), verdict(5000)]).toEqual(['clear', 'breached']);
  });
});

describe('a firing alert', () => {
  it.each<[string, Case, boolean]>([
    ['recovers inside the bound', { current: value(990), baseline: value(1000), fired: fell }, true],
    [
      'keeps firing between the fire and recover bounds',
      {
        rule: { recover: { change: { below: '-10%' } } },
        current: value(800),
        baseline: value(1000),
        fired: fell,
      },
      false,
    ],
    [
      'keeps firing while the baseline is below the minimum',
      { rule: { minimum: { baseline: 50 } }, current: value(20), baseline: value(20), fired: fell },
      false,
    ],
    [
      'of a fall keeps firing while the value is below the minimum',
      { rule: { minimum: { current: 50 } }, current: value(40), baseline: value(45), fired: fell },
      false,
    ],
    [
      'of a rise recovers below the minimum',
      { rule: { ...up, minimum: { current: 50 } }, current: value(4), baseline: value(5), fired: rose },
      true,
    ],
    [
      'recovers though the difference is now below the minimum',
      { rule: { minimum: { difference: 100 } }, current: value(990), baseline: value(1000), fired: fell },
      true,
    ],
    [
      'does not recover on a change that is merely not significant',
      { current: value(3), baseline: value(6), fired: fell },
      false,
    ],
  ])('%s', (_name, given, recovered) => {
    expect(evaluated(given).recovered).toBe(recovered);
  });
});
