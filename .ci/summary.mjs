import { readFileSync } from 'node:fs';

// Prints "N passed, N failed" and, if any, ", N skipped". Its arguments are the number of failed steps, and each Vitest
// JSON report as `<exit code>:<file>`. Exits with 1 if anything failed.
const [failedSteps, ...outcomes] = process.argv.slice(2);

const counts = outcomes.map((outcome) => {
  const [exit, report] = outcome.split(/:(.*)/);
  return countsOf(readReport(report), Number(exit));
});
const total = (name) => counts.reduce((sum, each) => sum + each[name], 0);
const failed = total('failed') + Number(failedSteps);
const skipped = total('skipped');
console.log(`${total('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

function countsOf(tests, exit) {
  // A file that fails to load has no failed tests.
  const brokenFiles = tests.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failedTests = tests.numFailedTests + brokenFiles;
  return {
    passed: tests.numPassedTests,
    failed: exit !== 0 && failedTests === 0 ? 1 : failedTests,
    skipped: tests.numPendingTests + tests.numTodoTests,
  };
}

/** Counts no tests if the report is missing, because the suite did not run. */
function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  }
}
