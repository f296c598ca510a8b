import { ChromiumUnavailable, findChromium } from './installation.ts';

/** The exit code for "skipped" by convention of test runners. */
const SKIPPED = 77;

try {
  await findChromium();
} catch (error) {
  if (!(error instanceof ChromiumUnavailable)) throw error;
  console.error(`Skipped: ${error.message}`);
  process.exitCode = SKIPPED;
}
