import { test } from 'vitest';
import { besiege } from '../../long/siege.ts';

test('hostile requests are answered by the contract and learn nothing', () =>
  besiege({ numRuns: 1000, seed: 20_260_410 }));
