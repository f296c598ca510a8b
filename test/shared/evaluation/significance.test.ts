import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../shared/evaluation/evaluate.ts';
import type { Evidence } from '../../../shared/evaluation/evidence.ts';
import { significancesOf } from '../../../shared/evaluation/significance.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, mean, ruleNamed, value } from '../../fixtures/builders.ts';

const WIGGLE = [-4, 3, 0, 5, -2, 1, -3, 2, -5, 1, -1, 4, -3, 0, 1, -2, 6, -4, 0, 3, -3];

/** Days of about `level`, oldest first, each week multiplied by its factor in `weeks`. */
const daysOf = (level: number, days: number, weeks: number[] = []) =>
  Array.from({ length: days }, (_, day) =>
    Math.round((level + (WIGGLE[day % WIGGLE.length] ?? 0)) * (weeks[Math.floor(day / 7)] ?? 1)),
  );

/** The evidence for the day after `days`, compared with the same weekday. */
function evidenceOf(days: number[], current: number): Evidence {
  const at = (day: number) => ({
    window: dayAt(day),
    ...value(day === days.length ? current : (days[day] ?? 0)),
  });
  const pairs = days.flatMap((_, day) => (day >= 7 ? [{ current: at(day), baseline: at(day - 7) }] : []));
  return {
    current: at(days.length),
    baseline: { window: dayAt(days.length - 7), ...value(36), origin: { of: 'window' } },
    previous: value(36),
    past: pairs.toReversed(),
    surprise: undefined,
    knownSinceAt: null,
    newSinceAt: null,
    isTooNew: false,
    holiday: null,
    newestDataAt: dayAt(days.length).endAt + HOUR_MS,
    isSilent: false,
    fired: null,
  };
}

const rose = {
  compare: { to: 'same_weekday' },
  fire: { change: { above: '50%' } },
  minimum: { current: 30 },
};
const alone = ruleNamed('checkouts', rose);
const byVersion = ruleNamed('checkouts', { ...rose, group_by: 'app_version' });

const HISTORIES = [
  { of: 'a week', days: 7 },
  { of: 'eleven days', days: 11 },
  { of: 'two weeks', days: 14 },
  { of: 'three weeks', days: 21 },
  { of: 'three weeks, the second of them half', days: 21, weeks: [1, 0.5, 1] },
  { of: 'three weeks, the second of them double', days: 21, weeks: [1, 2, 1] },
];

describe('a young series of 36 a day', () => {
  it.each(HISTORIES)('with history of $of breaches at 127, not at 50', ({ days, weeks }) => {
    const verdict = (current: number) =>
      evaluate(alone, evidenceOf(daysOf(36, days, weeks), current)).verdict;
    expect([verdict(127), verdict(50)]).toEqual(['breached', 'clear']);
  });

  it.each(HISTORIES)(
    'with history of $of does so among five versions, and the others stay clear',
    ({ days, weeks }) => {
      const verdicts = (current: number) => {
        const levels = [36, 20, 60, 45, 140];
        const evidences = levels.map((level, i) => ({
          ...evidenceOf(daysOf(level, days, weeks), i === 0 ? current : level),
          baseline: { window: dayAt(days - 7), ...value(level), origin: { of: 'window' } as const },
        }));
        const tests = significancesOf(byVersion, evidences);
        return evidences.map((evidence, i) => evaluate(byVersion, evidence, tests[i]).verdict);
      };
      const clear = ['clear', 'clear', 'clear', 'clear'];
      expect([verdicts(127), verdicts(50)]).toEqual([
        ['breached', ...clear],
        ['clear', ...clear],
      ]);
    },
  );
});

describe('the borrowed spread of a young segment', () => {
  const old = evidenceOf(daysOf(36, 60), 36);
  const young = evidenceOf(daysOf(36, 9), 36);

  it('comes from the other segments if they have history', () => {
    const [, test] = significancesOf(byVersion, [old, young]);
    const [alone] = significancesOf(byVersion, [young, young]);
    expect(test?.tau).not.toBe(alone?.tau);
    expect(evaluate(byVersion, young, test).gates.find(({ gate }) => gate === 'significance')).toMatchObject({
      history: 'little',
      figures: { pairs: 2 },
    });
  });
});

describe('a week after an unusual day', () => {
  const fell = { compare: { to: 'same_weekday' }, fire: { change: { below: '-40%' } } };
  const usual = daysOf(36, 70).map((count) => 28 * count);

  /** The baseline was `factor` times the usual 1,000, and today is `current` times. */
  function verdictOf(given: Record<string, unknown>, factor: number, current: number, isKnown = true) {
    const rule = ruleNamed('checkouts', { ...fell, ...given });
    const readingOf = (amount: number) =>
      rule.metric === 'rage_gestures_per_session' ? mean(amount / 500, 5000) : value(amount);
    const at = (day: number, amount: number) => ({ window: dayAt(day), ...readingOf(amount) });
    const whole = evidenceOf(usual, 1000);
    const evidence: Evidence = {
      ...whole,
      current: at(70, 1000 * current),
      baseline: { ...at(63, 1000 * factor), origin: { of: 'window' } },
      baselinePair: isKnown ? { current: at(63, 1000 * factor), baseline: at(56, 1000) } : undefined,
      past: whole.past.map((pair, i) => ({
        current: at(69 - i, pair.current.value ?? 0),
        baseline: at(62 - i, pair.baseline.value ?? 0),
      })),
    };
    return evaluate(rule, evidence, significancesOf(rule, [evidence])[0] ?? null).verdict;
  }

  const KINDS = [
    { of: 'a count', given: {} },
    { of: 'a segment', given: { group_by: 'app_version' } },
    { of: 'a mean', given: { metric: 'rage_gestures_per_session', filters: [] } },
  ];

  it.each(KINDS)('$of that returns to its level is no fall', ({ given }) => {
    expect([verdictOf(given, 1.75, 1, false), verdictOf(given, 1.75, 1)]).toEqual(['breached', 'clear']);
  });

  it.each(KINDS)('$of that falls below its level is', ({ given }) => {
    expect(verdictOf(given, 1.75, 0.5)).toBe('breached');
  });

  it.each(KINDS)('$of that falls further after a fall is', ({ given }) => {
    expect(verdictOf(given, 0.5, 0.25)).toBe('breached');
  });
});

describe('a rule whose only segment rose', () => {
  it.each([0.9, 0.95, 0.99])('fires as soon as the p-value meets its confidence of %s', (confidence) => {
    const rule = ruleNamed('checkouts', { ...rose, confidence, group_by: 'app_version' });
    const risen = Array.from({ length: 100 }, (_, more) => evidenceOf(daysOf(36, 21), 36 + 19 + more));
    const tests = risen.map((evidence) => significancesOf(rule, [evidence])[0] ?? null);
    const fires = risen.map((evidence, i) => evaluate(rule, evidence, tests[i]).verdict === 'breached');
    expect(fires).toEqual(tests.map((test) => test !== null && test.p <= 1 - confidence));
    expect(new Set(fires).size).toBe(2);
  });
});

it.each([
  ['day at 01:00', 0.99],
  ['hour at :20', 0.995],
  ['monday at 07:00', 0.99],
])('a rule that runs each %s has a default confidence of %s', (every, confidence) => {
  expect(ruleNamed('checkouts', { every }).confidence).toBe(confidence);
  expect(ruleNamed('checkouts', { every, confidence: 0.95 }).confidence).toBe(0.95);
});
