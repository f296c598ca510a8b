/** The seed of this run. `SOAK_SEED=<seed> npm run test:long` repeats it. */
export const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 2 ** 31);
