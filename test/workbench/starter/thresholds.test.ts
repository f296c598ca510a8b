import { expect, test } from 'vitest';
import { boundsFor } from '../../../workbench/starter/thresholds.ts';

test('weeks are fewer than days, so three deviations are enough', () => {
  expect(boundsFor(['below'], 0.1, 1, 'week')).toEqual({ fire: { change: { below: '-30%' } } });
});

test.each([
  ['four deviations', ['below'], 0.05, { fire: { change: { below: '-20%' } } }],
  ['both sides', ['above', 'below'], 0.05, { fire: { change: { above: '20%', below: '-20%' } } }],
  ['at least 15%', ['below'], 0.01, { fire: { change: { below: '-15%' } } }],
  ['steps of five percent, outwards', ['above'], 0.301, { fire: { change: { above: '125%' } } }],
  [
    'smaller falls for three days, if one day varies much',
    ['below'],
    0.3,
    { fire: { change: { below: '-50%' } }, fire_after: '3 of 3' },
  ],
  ['nothing, if it varies too much to fall', ['below'], 0.6, undefined],
  ['nothing, if it varies too much to rise', ['above'], 1.1, undefined],
] as const)('the bounds are %s', (_, sides, spread, bounds) => {
  expect(boundsFor(sides, spread, 1)).toEqual(bounds);
});
