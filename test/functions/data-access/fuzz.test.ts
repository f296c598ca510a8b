import { test } from 'vitest';
import { besiege } from '../../long/siege.ts';

// test/long/fuzz.test.ts asks 20,000.
test('hostile requests are answered by the contract and learn nothing', () =>
  besiege({ numRuns: 400, seed: 20_260_410 }));
