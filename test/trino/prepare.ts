import { installTrino, TrinoUnavailable } from './installation.ts';

/** The exit code for "skipped" by convention of test runners. */
const SKIPPED = 77;

try {
  await installTrino();
} catch (error) {
  if (!(error instanceof TrinoUnavailable)) throw error;
  console.error(`Skipped: ${error.message}`);
  process.exitCode = SKIPPED;
}
