import { test } from 'vitest';
import { SEED } from './seed.ts';
import { besiege } from './siege.ts';

test(`20,000 hostile requests, SOAK_SEED=${SEED}, get an answer of the contract and leak nothing`, () =>
  besiege({ numRuns: 20_000, seed: SEED }));
