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
    isSilent: false,
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
  const thousand = { baseline: value(1000) };
  const small = { minimum: { baseline: 50 } };

  it.each<[string, Case]>([
    ['that fell below the bound', { ...thousand, current: value(600) }],
    ['that fell to 0', { ...thousand, current: value(0) }],
    ['that rose from 0', { rule: up, current: value(40), baseline: value(0) }],
    ['at the minimum', { rule: small, current: value(5), baseline: value(50) }],
    [
      'beyond all of several bounds',
      {
        ...thousand,
        rule: { fire: { change: { below: '-30%' }, current: { below: 700 } } },
        current: value(600),
      },
    ],
    [
      'beyond an absolute difference',
      { ...thousand, rule: { fire: { difference: { above: 300 } } }, current: value(1400) },
    ],
  ])('%s breaches', (_name, given) => {
    expect([evaluated(given).verdict, failedGate(evaluated(given))]).toEqual(['breached', undefined]);
  });

  it.each<[string, string, Case]>([
    ['that fell just short of the bound', 'threshold', { ...thousand, current: value(701) }],
    ['that rose, of a rule about falls,', 'threshold', { ...thousand, current: value(5000) }],
    ['at 0 after 0', 'threshold', { current: value(0), baseline: value(0) }],
    ['below the minimum', 'volume', { rule: small, current: value(5), baseline: value(49) }],
    [
      'that differs by less than the minimum',
      'volume',
      { ...thousand, rule: { minimum: { difference: 500 } }, current: value(600) },
    ],
    ['that differs by chance', 'significance', { current: value(3), baseline: value(6) }],
    [
      'beyond only one of several bounds',
      'threshold',
      {
        ...thousand,
        rule: { fire: { change: { below: '-30%' }, current: { below: 500 } } },
        current: value(600),
      },
    ],
  ])('%s is clear by its %s', (_name, gate, given) => {
    expect([evaluated(given).verdict, failedGate(evaluated(given))]).toEqual(['clear', gate]);
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

  it('without history is tested with the default spread and reports that', () => {
    const { significance, gates } = evaluated({ current: value(600), baseline: value(1000), past: [] });
    expect(significance).toMatchObject({ tau: 0.25, pairs: 0 });
    expect(gates.at(-1)).toMatchObject({ history: 'little' });
  });

  it.each([
    { pairs: 3, history: 'little' },
    { pairs: 29, history: 'enough' },
  ])('after $pairs pairs reports $history history', ({ pairs, history }) => {
    const past = quietPast(value).slice(0, pairs);
    const { gates } = evaluated({ current: value(600), baseline: value(1000), past });
    expect(gates.at(-1)).toMatchObject({ history, figures: { pairs } });
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
  const asked = (baseline: number, current: number, rule?: Case['rule'], fired = fell): Case => ({
    ...{ baseline: value(baseline), current: value(current), fired, ...(rule && { rule }) },
  });

  it.each<[string, Case, boolean]>([
    ['recovers inside the bound', asked(1000, 990), true],
    [
      'keeps firing between the fire and recover bounds',
      asked(1000, 800, { recover: { change: { below: '-10%' } } }),
      false,
    ],
    [
      'keeps firing while the baseline is below the minimum',
      asked(20, 20, { minimum: { baseline: 50 } }),
      false,
    ],
    ['of a fall keeps firing below the minimum', asked(45, 40, { minimum: { current: 50 } }), false],
    ['of a rise recovers below the minimum', asked(5, 4, { ...up, minimum: { current: 50 } }, rose), true],
    ['recovers though the difference is now small', asked(1000, 990, { minimum: { difference: 100 } }), true],
    ['does not recover on a change that is merely not significant', asked(6, 3), false],
  ])('%s', (_name, given, recovered) => {
    expect(evaluated(given).recovered).toBe(recovered);
  });
});
