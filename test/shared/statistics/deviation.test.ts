import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutRebound } from '../../../shared/statistics/deviation.ts';

const moved = (change: number) => ({ change, chance: 0.01 });

describe('a change from an unusual baseline', () => {
  it.each([
    { of: 'a return from a rise', change: -0.7, ofBaseline: 0.7, left: -0.404 },
    { of: 'a return from a fall', change: 0.7, ofBaseline: -0.7, left: 0.404 },
    {
      of: 'a fall to a third of the level before a doubled baseline',
      change: -1.8,
      ofBaseline: 0.7,
      left: -1.674,
    },
    { of: 'a small return after a large rise', change: -0.2, ofBaseline: 0.7, left: 0 },
    { of: 'a fall after a usual baseline', change: -0.7, ofBaseline: 0.02, left: -0.7 },
    { of: 'a second fall', change: -0.7, ofBaseline: -0.7, left: -0.7 },
  ])('is $left for $of', ({ change, ofBaseline, left }) => {
    const kept = withoutRebound(moved(change), moved(ofBaseline));
    expect(kept.change).toBeCloseTo(left, 3);
    expect(kept.chance).toBe(0.01);
  });

  it('is the whole change if nothing is known of the baseline', () => {
    expect(withoutRebound(moved(-0.7), undefined)).toEqual(moved(-0.7));
  });

  it('never grows and never changes its direction', () => {
    const changes = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(changes, changes, (change, ofBaseline) => {
        const left = withoutRebound(moved(change), moved(ofBaseline)).change;
        expect(Math.abs(left)).toBeLessThanOrEqual(Math.abs(change));
        expect(left * change).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
