import { installMiniStack, MiniStackUnavailable } from './installation.ts';

/** The exit code for "skipped" by convention of test runners. */
const SKIPPED = 77;

try {
  await installMiniStack();
} catch (error) {
  if (!(error instanceof MiniStackUnavailable)) throw error;
  console.error(`Skipped: ${error.message}`);
  process.exitCode = SKIPPED;
}
