import { describe } from 'vitest';
import { withBounds } from '../../shared/alerting/overrides.ts';
import { HOUR } from '../fixtures/builders.ts';
import { golden } from './golden.ts';
import { found, owedFor, purchases, TUESDAY_3_AM } from './situations.ts';

const override = {
  instead: { fire: { change: { below: -0.5 } }, minimum: { current: 20 } },
  by: 'ada',
  at: TUESDAY_3_AM - HOUR,
  untilAt: TUESDAY_3_AM + 30 * HOUR,
  reason: 'the spring sale ends',
};
const judged = withBounds(purchases, override.instead);

describe('bounds that are overridden', () => {
  golden('overridden', [
    owedFor(purchases, 'fired', { ...found(judged, { current: 390, baseline: 1000 }), override }),
  ]);
  golden('overridden and recovered', [
    owedFor(purchases, 'recovered', { ...found(judged, { current: 640, baseline: 1000 }), override }),
  ]);
});
