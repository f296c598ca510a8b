import { ChromiumUnavailable, findChromium } from './installation.ts';

/** What test runners agree to mean "skipped". */
const SKIPPED = 77;

try {
  await findChromium();
} catch (error) {
  if (!(error instanceof ChromiumUnavailable)) throw error;
  console.error(`Skipped: ${error.message}`);
  process.exitCode = SKIPPED;
}
