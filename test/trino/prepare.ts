import { installTrino, TrinoUnavailable } from './installation.ts';

/** What test runners agree to mean "skipped". */
const SKIPPED = 77;

try {
  await installTrino();
} catch (error) {
  if (!(error instanceof TrinoUnavailable)) throw error;
  console.error(`Skipped: ${error.message}`);
  process.exitCode = SKIPPED;
}
