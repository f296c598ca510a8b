import { DynamoDbLocalUnavailable, installDynamoDbLocal } from './installation.ts';

/** The exit code for "skipped" by convention of test runners. */
const SKIPPED = 77;

try {
  await installDynamoDbLocal();
} catch (error) {
  if (!(error instanceof DynamoDbLocalUnavailable)) throw error;
  console.error(`Skipped: ${error.message}`);
  process.exitCode = SKIPPED;
}
