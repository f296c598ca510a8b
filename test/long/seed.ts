/** What this run draws from; `LONG_SEED=<it> npm run test:long` draws the same again. */
export const SEED = Number(process.env.LONG_SEED ?? Date.now() % 2 ** 31);
