import { test } from 'vitest';
import { besiege } from '../../../soak/siege.ts';

// test/soak/fuzz.test.ts sends 20,000 requests.
test('hostile requests get documented responses without internal details', () =>
  besiege({ numRuns: 400, seed: 20_260_410 }));
