import { describe, expect, test } from 'vitest';
import { RIVALS } from '../../bench/detection/rivals.ts';
import { criticalValue, esdScore } from '../../bench/detection/seasonal-hybrid-esd.ts';
import type { Point, SeriesGrain } from '../../bench/detection/series.ts';
import { drawsFor, poisson } from '../../local/data/demo/draws.ts';

const SLOTS: Record<SeriesGrain, number> = { hour: 168, day: 7 };
const WEEKS: Record<SeriesGrain, number> = { hour: 9, day: 30 };

function pointsOf(grain: SeriesGrain, valueAt: (i: number) => number | null): Point[] {
  return Array.from({ length: WEEKS[grain] * SLOTS[grain] + 1 }, (_, i) => ({
    at: i,
    slot: i % SLOTS[grain],
    value: valueAt(i),
  }));
}

/** The scores of the windows after the first weeks. */
function scoresOf(name: string, grain: SeriesGrain, points: Point[]): number[] {
  const contestant = RIVALS.find((each) => each.name === name);
  const detector = contestant?.watch({ grain, kind: 'count' });
  if (!detector) throw new Error(`no rival "${name}"`);
  return points.map((point) => {
    const score = detector.score(point);
    detector.learn(point, false);
    return score;
  });
}

function noise(grain: SeriesGrain): (i: number) => number {
  const draw = drawsFor(1, 'rivals', grain);
  const period = grain === 'hour' ? 24 : 7;
  const values = pointsOf(grain, (i) => poisson(draw, 100 + 50 * Math.sin((2 * Math.PI * i) / period)));
  return (i) => values[i]?.value ?? 0;
}

describe.each(RIVALS.flatMap(({ name }) => [[name, 'hour'] as const, [name, 'day'] as const]))(
  '%s by %s',
  (name, grain) => {
    const normal = noise(grain);
    const last = WEEKS[grain] * SLOTS[grain];

    test.each([
      ['rise', 1000],
      ['outage', 0],
    ])('%s: scores above 1, and the window before it does not', (kind, value) => {
      const scores = scoresOf(
        name,
        grain,
        pointsOf(grain, (i) => (i === last ? value : normal(i))),
      );
      // A daily cycle hides an outage from rolling statistics: it is within their range.
      if (kind === 'outage' && name.startsWith('rolling')) return;
      expect(scores[last]).toBeGreaterThan(1);
      expect(scores[last - 1]).toBeLessThan(1);
    });

    test.each([0, 7])('a flat series of %i scores 0', (value) => {
      const scores = scoresOf(
        name,
        grain,
        pointsOf(grain, () => value),
      );
      expect(Math.max(...scores)).toBe(0);
    });
  },
);

describe('generalized ESD', () => {
  test.each([
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.17.3: 54 values, steps 1 to 3 and 10.
    [53, 3.158],
    [52, 3.151],
    [51, 3.143],
    [44, 3.085],
  ])('the critical value of the step that leaves %i values is %f', (left, expected) => {
    expect(criticalValue(left)).toBeCloseTo(expected, 2);
  });

  test('an anomaly is found beside a larger one, but the largest normal value is not', () => {
    const values = Array.from({ length: 99 }, (_, i) => Math.sin(i));
    expect(esdScore([...values, 60, 50], 50)).toBeGreaterThan(1);
    expect(esdScore([...values, 60, 50], Math.max(...values))).toBeLessThan(1);
  });
});
