import { missingPostgres } from '../../bench/data-access/postgres.ts';

/** The exit code for "skipped" by convention of test runners. */
const SKIPPED = 77;

const missing = await missingPostgres();
if (missing !== undefined) {
  console.error(`Skipped: ${missing}`);
  process.exitCode = SKIPPED;
}
