import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { openZones, type Pair, questionsAbout } from '../../oracle/against-service.ts';

let pairs: Pair[] = [];
beforeAll(async () => {
  pairs = await openZones(1);
});
afterAll(() => Promise.all(pairs.map(({ shop }) => shop.close())));

test('random questions are answered as the oracle answers them', async () => {
  const property = fc.asyncProperty(questionsAbout(pairs), ({ check }) => check());
  await fc.assert(property, { numRuns: 300, seed: 20_260_410 });
}, 60_000);
