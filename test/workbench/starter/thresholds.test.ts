import { describe, expect, test } from 'vitest';
import { boundsFor, levelFor } from '../../../workbench/starter/thresholds.ts';

const large = { chance: 0.01, size: 10_000 };

describe('a change', () => {
  test('weeks are fewer than days, so three deviations are enough', () => {
    expect(boundsFor('below', { ...large, spread: 0.1 }, 1, 'week')?.fire).toEqual({
      change: { below: '-30%' },
    });
  });

  test.each([
    ['3.5 deviations', 'below', 0.05, { fire: { change: { below: '-20%' } } }],
    ['at least 15%', 'below', 0.01, { fire: { change: { below: '-15%' } } }],
    ['steps of five percent, outwards', 'above', 0.301, { fire: { change: { above: '135%' } } }],
    [
      'smaller falls on three of four days, if one day varies much',
      'below',
      0.3,
      { fire: { change: { below: '-45%' } }, fire_after: '3 of 4' },
    ],
    ['nothing, if it varies too much to fall', 'below', 0.8, undefined],
    ['nothing, if it varies too much to rise', 'above', 0.8, undefined],
  ] as const)('has bounds of %s', (_, side, spread, bounds) => {
    const found = boundsFor(side, { ...large, spread }, 1);
    expect(found && { ...found, minimum: undefined }).toEqual(bounds);
  });

  test.each([
    ['a quarter of the usual size, if chance is small', 0.01, 10_000, 2500],
    ['half of it, if the spread is chance', 0.1, 140, 79],
    ['five', 0.1, 4, 5],
  ])('needs a baseline of %s', (_, chance, size, baseline) => {
    expect(boundsFor('below', { chance, size, spread: 0.1 }, 1)?.minimum).toEqual({ baseline });
  });
});

describe('a level of failures', () => {
  const level = (of: number, failures: number[]) =>
    levelFor(
      failures.map((each) => ({ value: each / of, of })),
      1,
    );

  test.each([
    ['five failures, if there are hardly any', 100, [0, 0, 0, 0, 1, 0, 0, 0, 0, 0], 5],
    ['3.5 deviations of a small share', 200, [16, 12, 20, 18, 14, 15, 17, 16, 13, 19], 32],
    ['what nearly every day exceeds, without an incident', 200, [16, 12, 20, 18, 14, 15, 90, 95, 13, 19], 32],
  ])('is %s', (_, of, failures, least) => {
    const bounds = level(of, failures);
    expect(bounds?.minimum).toEqual({ current: of });
    expect(Math.ceil((bounds?.fire?.current?.above ?? 0) * of)).toBe(least);
  });

  test('of more than half of the sessions is a lower one on three of four days', () => {
    const bounds = level(10, [1, 2, 0, 1, 3, 1, 2, 1, 0, 2]);
    expect(bounds).toMatchObject({ fire: { current: { above: 0.34 } }, fire_after: '3 of 4' });
  });

  test('does not exist if nearly all sessions fail', () => {
    expect(level(20, [17, 16, 18, 15, 17, 19])).toBeUndefined();
  });
});
