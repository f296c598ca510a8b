/** The seed of this run. `LONG_SEED=<seed> npm run test:long` repeats it. */
export const SEED = Number(process.env.LONG_SEED ?? Date.now() % 2 ** 31);
