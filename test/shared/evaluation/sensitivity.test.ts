import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../shared/evaluation/evaluate.ts';
import { bandOf } from '../../../shared/evaluation/expected-limits.ts';
import {
  type ExpectedWindow,
  type Sensitivity,
  sensitivityOf,
} from '../../../shared/evaluation/sensitivity.ts';
import { sensitivityText } from '../../../shared/messages/sensitivity-text.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { SeriesEvaluator } from '../../../workbench/series/series-evaluator.ts';
import { dayAt, MONDAY, ruleNamed, value } from '../../fixtures/builders.ts';

const seasonal = (overrides: Record<string, unknown> = {}) =>
  ruleNamed('orders', { every: 'hour', compare: undefined, fire: undefined, anomaly: true, ...overrides });
const bounded = (overrides: Record<string, unknown> = {}) => ruleNamed('orders', overrides);

const hourAt = (hour: number) => ({ startAt: MONDAY + hour * HOUR_MS, endAt: MONDAY + (hour + 1) * HOUR_MS });

/** The last evaluation of `hours` of `valueAt`, with its band, and the windows before it. */
function evaluatedHours(hours: number, valueAt: (hour: number) => number) {
  const rule = seasonal();
  const evaluator = new SeriesEvaluator(rule);
  const windows: ExpectedWindow[] = [];
  let verdict = '';
  for (let hour = 0; hour < hours; hour++) {
    const window = hourAt(hour);
    const { evaluation } = evaluator.evaluate({ window, ...value(valueAt(hour)) }, window.endAt);
    windows.push({ window, band: bandOf(rule, evaluation) });
    verdict = evaluation.verdict;
  }
  return { rule, windows, verdict };
}

function known(sensitivity: Sensitivity | undefined) {
  if (sensitivity?.kind !== 'known') throw new Error('no figures');
  return sensitivity;
}

describe('the smallest change that a season fires on', () => {
  /** Counts around `mean` with the noise of a fixed seed. */
  const noisy = (mean: number) => (hour: number) =>
    Math.max(0, Math.round(mean + Math.sqrt(mean) * Math.sin(hour * 12.9898) * 1.2));

  test('is where a verdict changes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 2_000 }), fc.boolean(), (mean, isRise) => {
        const { rule, windows } = evaluatedHours(700, noisy(mean));
        const { fall, rise } = known(sensitivityOf(rule, windows.slice(-1)));
        const reach = isRise ? rise : fall;
        if (!reach || !('from' in reach)) return;
        const verdictAt = (last: number) =>
          evaluatedHours(700, (hour) => (hour === 699 ? last : noisy(mean)(hour))).verdict;
        // The value of the season without the carry-over from the last hour does not fire either.
        const margin = (1 + 0.08 * mean) * (isRise ? 1 : -1);
        expect([verdictAt(reach.from + margin), verdictAt(reach.from - margin)]).toEqual([
          'breached',
          'clear',
        ]);
      }),
      { numRuns: 6 },
    );
  });

  test('does not exist for a fall of three an hour, which even zero would not be', () => {
    const { rule, windows } = evaluatedHours(700, noisy(3));
    const sensitivity = known(sensitivityOf(rule, windows));
    expect(sensitivity.fall).toEqual({ never: 'too-few' });
    expect(sensitivity.rise).toEqual({ from: expect.any(Number) });
    const zero = evaluatedHours(700, (hour) => (hour === 699 ? 0 : noisy(3)(hour)));
    expect(zero.verdict).toBe('clear');
  });

  test.each([
    [30, '2026-03-04', 'no verdict before 2026-03-04, when two days are known'],
    [80, '2026-03-11', /limits are wider until 2026-03-11$/],
    [400, null, /^with [\d.]+ an hour expected, a rise fires from \+[\d.]+% and a fall from -[\d.]+%$/],
  ])('after %i hours says when the series is known well enough', (hours, date, text) => {
    const { rule, windows } = evaluatedHours(hours, noisy(500));
    const sensitivity = sensitivityOf(rule, windows, MONDAY);
    if (!sensitivity) throw new Error('nothing is known');
    expect(sensitivityText(rule, sensitivity)).toMatch(text);
    const at = sensitivity.kind === 'known' ? sensitivity.settlesAt : sensitivity.verdictsFromAt;
    expect(at === null ? null : new Date(at).toISOString().slice(0, 10)).toBe(date);
  });

  test('is that of the median hour of the last day, with the number of hours that are blind', () => {
    const rule = seasonal();
    const windows = Array.from({ length: 72 }, (_, hour) => ({
      window: hourAt(hour),
      // The first two days do not count.
      band: hour < 48 ? null : { expected: hour, low: hour < 57 ? null : hour / 2, high: hour * 2 },
    }));
    const sensitivity = known(sensitivityOf(rule, windows));
    expect(sensitivity.expected).toBe(60);
    expect(sensitivity.windows).toEqual({ known: 24, withoutFall: 9, withoutRise: 0 });
    expect(sensitivityText(rule, sensitivity)).toBe(
      'with 60 an hour expected, a rise fires from x2 and a fall from -50%; a fall cannot in 9 of 24 windows',
    );
  });
});

const FALL = { change: { below: '-30%' } };

describe('the reason that nothing fires', () => {
  const window = dayAt(0);
  const band = { expected: 40, low: 20, high: 80 };

  test.each([
    ['bounds of the change', { fire: FALL }, { ...band, high: null }, { fall: { from: 20 }, rise: null }],
    [
      'a difference larger than the expected value',
      { fire: { difference: { below: -50 } } },
      { ...band, low: null, high: null },
      { fall: { never: 'bounds' }, rise: null },
    ],
    [
      'an expected value below the minimum',
      { fire: FALL, minimum: { baseline: 50 } },
      { ...band, high: null },
      { fall: { never: 'below-minimum' }, rise: null },
    ],
    [
      'a limit below the minimum of the window',
      { fire: FALL, minimum: { current: 20 } },
      { ...band, high: null },
      { fall: { never: 'below-minimum' }, rise: null },
    ],
    [
      'a minimum difference beyond the limit',
      { fire: { change: { above: '10%' } }, minimum: { difference: 60 } },
      { ...band, low: null },
      { fall: null, rise: { from: 100 } },
    ],
    [
      'a season that watches falls alone',
      { compare: undefined, fire: undefined, anomaly: 'fall' },
      { ...band, low: null },
      { fall: { never: 'too-variable' }, rise: null },
    ],
    [
      'an expected value of exactly the minimum',
      { fire: { change: { above: '10%' } }, minimum: { baseline: 40 } },
      { ...band, low: null, high: 44 },
      { fall: null, rise: { from: 44 } },
    ],
    [
      'a level that the expected value exceeds',
      { fire: { current: { above: 5 } } },
      { ...band, low: null, high: 5 },
      { fall: null, rise: { from: 5 } },
    ],
    [
      'a rise from zero, which needs the minimum only',
      { fire: { change: { above: '10%' } }, minimum: { current: 5, baseline: 30 } },
      { expected: 0, low: null, high: null },
      { fall: null, rise: { from: 30 } },
    ],
  ])('%s', (_, overrides, given, expected) => {
    const rule = bounded(overrides);
    const { fall, rise } = known(sensitivityOf(rule, [{ window, band: given }]));
    expect({ fall, rise }).toEqual(expected);
  });

  test.each([
    [{ fire: FALL }, 28, 'breached'],
    [{ fire: FALL, minimum: { current: 20 } }, 19, 'clear'],
    [{ fire: FALL, minimum: { baseline: 50 } }, 1, 'clear'],
  ])('agrees with the verdict of %j at %i', (overrides, current, verdict) => {
    const rule = bounded(overrides);
    const evidence = {
      current: { window: dayAt(1), ...value(current - 1) },
      baseline: { window, ...value(40), origin: { of: 'window' } as const },
      ...{ previous: value(40), past: [], surprise: undefined, knownSinceAt: null, newSinceAt: null },
      ...{ isTooNew: false, holiday: null, newestDataAt: MONDAY + 3 * DAY_MS, fired: null },
    };
    expect(evaluate(rule, evidence, null).verdict).toBe(verdict);
  });
});

describe('in words', () => {
  const window = dayAt(0);

  test.each([
    [10, 'with 40 in 10 minutes expected, a fall cannot fire: the series varies too much'],
    [60, 'with 40 an hour expected, a fall cannot fire: the series varies too much'],
  ])('of a series of %i minutes names its window', (minutes, text) => {
    const rule = seasonal({ anomaly: 'fall' });
    const short = { startAt: MONDAY, endAt: MONDAY + minutes * 60_000 };
    const band = { expected: 40, low: null, high: null };
    expect(sensitivityText(rule, known(sensitivityOf(rule, [{ window: short, band }])))).toBe(text);
  });

  test.each([
    [
      { expected: 4, low: null, high: null },
      'with 4 a day expected, a fall cannot fire: numbers this small vary by chance',
    ],
    [{ expected: 40, low: 28, high: null }, 'with 40 a day expected, a fall fires from -30%, if significant'],
    [{ expected: 4, low: 10, high: null }, 'with 4 a day expected, a fall fires below 10, if significant'],
    [{ expected: 0, low: null, high: 5 }, 'with 0 a day expected, a rise fires above 5, if significant'],
  ])('of %j', (band, text) => {
    const level = band.low === 10 ? { below: 10 } : band.high === null ? undefined : { above: 5 };
    const rule = bounded({ fire: level ? { current: level } : FALL });
    const sensitivity = known(sensitivityOf(rule, [{ window, band }]));
    expect(sensitivityText(rule, sensitivity)).toBe(text);
  });

  test.each([{ average: 'price' }, { sum: 'price' }])('nothing is said of %j: the test decides', (metric) => {
    const band = { expected: 40, low: 28, high: null };
    expect(sensitivityOf(bounded({ metric }), [{ window, band }])).toBeUndefined();
    expect(sensitivityOf(seasonal({ metric }), [{ window, band }])).toBeDefined();
  });

  test('nothing is said where nothing is known', () => {
    expect(sensitivityOf(bounded(), [{ window, band: null }], MONDAY)).toBeUndefined();
    expect(sensitivityOf(seasonal(), [{ window: hourAt(0), band: null }])).toBeUndefined();
    expect(sensitivityOf(seasonal(), [])).toBeUndefined();
  });
});
