import { test } from 'vitest';
import { besiege } from '../../long/siege.ts';

// test/long/fuzz.test.ts sends 20,000 requests.
test('hostile requests get documented responses without internal details', () =>
  besiege({ numRuns: 400, seed: 20_260_410 }));
