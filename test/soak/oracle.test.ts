import { describe, test } from 'vitest';
import { agree, agreeOnJourneys, openZones } from '../oracle/agreement.ts';
import { SEED } from './seed.ts';

const WORLDS = 6;
const QUESTIONS = 1000;

describe(`random questions, SOAK_SEED=${SEED}`, () => {
  test.each(Array.from({ length: WORLDS }, (_, nth) => SEED + 100 * nth))(
    `${QUESTIONS} questions about the worlds of %i get the answers of the oracle`,
    async (seed) => {
      const pairs = await openZones(seed);
      try {
        await agree(pairs, { numRuns: QUESTIONS, seed });
        await agreeOnJourneys(pairs, { numRuns: QUESTIONS, seed });
      } finally {
        await Promise.all(pairs.map(({ shop }) => shop.close()));
      }
    },
  );
});
